import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged, statusDocument } from '../../../../test/support/protocolArbitraries';
import { documentExample } from '../../../../test/support/documentExample';
import { formatStatusDocument } from './formatStatusDocument';
import type { StatusDocument } from './registryEntry';
import { readStatusDocument } from './statusDocument';
import { statusWordOf } from './statusWordOf';

function read(value: unknown): StatusDocument {
  const result = readStatusDocument(typeof value === 'string' ? value : JSON.stringify(value));
  if (!result.ok) {
    throw new Error(result.error);
  }
  return result.value;
}

function reasonOf(text: string): string {
  const result = readStatusDocument(text);
  return result.ok ? 'was read' : result.error;
}

describe('status.json', () => {
  it('is read and written back exactly as in the document', () => {
    const text = documentExample('status.json');
    expect(formatStatusDocument(read(text))).toBe(text);
  });

  it('survives being written and read, whatever it says', () => {
    fc.assert(
      fc.property(statusDocument, (document) => {
        expect(read(formatStatusDocument(document))).toEqual(document);
      }),
    );
  });

  it('never makes a reader throw, and every refusal is a sentence about the file', () => {
    fc.assert(
      fc.property(damaged(statusDocument.map(formatStatusDocument)), (text) => {
        const result = readStatusDocument(text);
        expect(result.ok || result.error.startsWith('status.json ')).toBe(true);
        expect(statusWordOf(text)).toBe(result.ok ? result.value.status : null);
      }),
      { numRuns: 1000 },
    );
  });

  it('may hold any JSON value under any of its keys', () => {
    const keys = fc.constantFrom('worker_id', 'type', 'status', 'started_at', 'completed_at', 'progress', 'error');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (value) => {
        const result = readStatusDocument(JSON.stringify({ status: 'running', ...value }));
        expect(result.ok || result.error.includes('status that the protocol knows')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('may come with a byte order mark, comments and a code fence', () => {
    const body = '{ // first\n "status": "running", /* "status": "failed" */ "error": "see http://x // no comment" }';
    expect(read(`\uFEFFHere it is:\n\`\`\`json\n${body}\n\`\`\`\nDone.`)).toMatchObject({
      status: 'running',
      error: 'see http://x // no comment',
    });
  });

  it('may quote its numbers and leave keys out', () => {
    expect(read({ status: 'running', progress: { items_processed: '3', total_items: ' 7 ' } }).progress).toEqual({
      phase: null,
      items_processed: 3,
      total_items: 7,
    });
    expect(read({ status: 'done' })).toEqual({
      worker_id: null,
      type: null,
      status: 'completed',
      started_at: null,
      completed_at: null,
      progress: null,
      error: null,
    });
  });

  it('reads odd progress and errors as far as they make sense', () => {
    expect(read({ status: 'running', progress: 'scanning' }).progress?.phase).toBe('scanning');
    expect(read({ status: 'running', progress: [1, 2] }).progress).toBeNull();
    expect(read({ status: 'running', progress: { items_processed: -1, total_items: 0 } }).progress).toEqual({
      phase: null,
      items_processed: 0,
      total_items: null,
    });
    expect(read({ status: 'failed', error: { message: 'no' } }).error).toBe('{"message":"no"}');
  });

  it.each([
    ['', 'status.json is empty'],
    [' \n', 'status.json is empty'],
    ['\0\0\0', 'status.json holds only zero bytes, as a torn write leaves behind'],
    ['{"status": "runn', 'status.json is not valid JSON; it may be cut off or still being written'],
    ['[]', 'status.json is not a JSON object'],
    ['{}', 'status.json has no status that the protocol knows (the key is missing)'],
    ['{"status": 5}', 'status.json has no status that the protocol knows (it says 5)'],
    ['{"status": "unknown"}', 'status.json has no status that the protocol knows (it says "unknown")'],
    [
      `{"status": "running", "x": ${'['.repeat(5000)}${']'.repeat(5000)}}`,
      'status.json is nested deeper than 100 levels',
    ],
    [' '.repeat(64 * 1024 + 1), 'status.json is larger than 64 KiB'],
  ])('says why it cannot be read: %#', (text, reason) => {
    expect(reasonOf(text)).toBe(reason);
  });
});
