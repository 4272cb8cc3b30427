import { describe, expect, it } from 'vitest';
import { documentExample } from '../../../../test/support/documentExample';
import { protocolTypeNamed, protocolTypes } from './protocolTypes';
import {
  alreadyAskedText,
  ambiguousText,
  limitText,
  missingTemplateText,
  notFoundText,
  notRunningText,
  startedText,
  forcedStopText,
  stopText,
  unknownTypeText,
  usageText,
} from './workerTexts';

const ID = 'wkr-20260301-143022-consolidate';

describe('the exact texts', () => {
  it('of limit, start and stop are the document’s to the letter', () => {
    expect(`${limitText(3, 'slash')}\n`).toBe(documentExample('limit.txt'));
    const started = { workerId: ID, type: 'consolidate', model: 'sonnet' };
    expect(`${startedText(started, 'slash')}\n`).toBe(documentExample('started.txt'));
    expect(stopText(ID, 'slash')).toBe(`${documentExample('stop.txt')}Use \`/workers status\` to confirm.`);
  });

  it('name the command of the surface that shows them', () => {
    expect(limitText(5, 'cli')).toBe(
      'Cannot start worker: maximum concurrent workers (5) reached.\nUse `rollcall status` to check active workers.',
    );
    expect(stopText(ID, 'cli')).toContain('Use `rollcall status` to confirm.');
    expect(forcedStopText(ID, 'cli')).toContain('Its processes are ended now.');
    expect(limitText(3, 'vscode')).toContain('Use `Workers: Status` to check');
    expect(limitText(3, 'mcp')).toContain('Use `worker_status` to check');
  });

  it('refuse an unknown type by name, and list the valid ones', () => {
    expect(unknownTypeText('\u001B[31mfoo', protocolTypes)).toBe(
      'Unknown worker type: foo\nValid types: consolidate, export-brain, health-check, pattern-analysis',
    );
  });

  it('refuse a stop by its reason', () => {
    expect(notFoundText('wkr-x')).toBe('Worker wkr-x not found in registry');
    expect(notRunningText(ID, 'stop-requested')).toBe(`Worker ${ID} is not running (status: stop-requested)`);
    expect(alreadyAskedText(ID).split('\n')).toEqual([
      `Worker ${ID} is not running (status: stop-requested)`,
      `It was asked to stop already. To end it at once: \`rollcall stop ${ID} --force\``,
    ]);
    expect(ambiguousText('wkr', [ID, `${ID}-2`])).toBe(
      `Several workers match wkr:\n  ${ID}\n  ${ID}-2\nGive more of the id.`,
    );
  });

  it('say where a missing template belongs', () => {
    const type = protocolTypeNamed('export-brain');
    expect(type === null ? '' : missingTemplateText(type)).toContain('Create lib/worker-templates/brain-export.md');
  });

  it('explain the four subcommands in four lines', () => {
    expect(usageText('cli')).toBe(
      'Usage: rollcall start <type>\n       rollcall status\n       rollcall stop <id>\n       rollcall list',
    );
    expect(usageText('slash').split('\n')).toHaveLength(4);
  });
});
