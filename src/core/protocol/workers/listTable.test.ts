import { describe, expect, it } from 'vitest';
import { documentExample } from '../../../../test/support/documentExample';
import { listTable } from './listTable';
import { dreamCycleType, protocolTypes } from './protocolTypes';

describe('the list of types', () => {
  it('is the document’s to the letter', () => {
    expect(`${listTable(protocolTypes, 'slash')}\n`).toBe(documentExample('list-table.txt'));
  });

  it('names the start command of its surface', () => {
    expect(listTable(protocolTypes, 'cli')).toContain('\nUsage: rollcall start <type>\n');
    expect(listTable(protocolTypes, 'vscode')).toContain('\nUsage: Workers: Start worker…\n');
  });

  it('shows own types after the four, and widens for them', () => {
    const own = { ...dreamCycleType, name: 'a-rather-long-type', model: 'none', description: 'Own\nwork' };
    const lines = listTable([...protocolTypes, own], 'slash').split('\n');
    expect(lines[4]).toBe('Type                Model    Description');
    expect(lines[9]).toBe('a-rather-long-type  none     Own work');
  });
});
