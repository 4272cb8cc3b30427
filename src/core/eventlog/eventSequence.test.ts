import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventLine } from '../protocol/events/eventLine';
import { EventSequence } from './eventSequence';

function line(seq: number, epoch: number, type = 'x'): EventLine {
  return { seq, epoch, type, timestamp: '2026-03-01T14:30:22.000Z', data: {} };
}

function heldOf(
  lines: readonly EventLine[],
  batchLines = 1,
): {
  readonly held: readonly EventLine[];
  readonly sequence: EventSequence;
} {
  const held: EventLine[] = [];
  const sequence = new EventSequence({ after: { seq: 0, epoch: 0 }, batchLines }, (one) => held.push(one));
  for (const one of lines) {
    sequence.push(one);
  }
  sequence.end();
  return { held, sequence };
}

describe('the lines of a log that hold', () => {
  it('leave out what a leader wrote after its successor', () => {
    const { held, sequence } = heldOf([line(1, 1), line(2, 2), line(3, 1, 'late'), line(3, 2)]);
    expect(held.map(({ seq, epoch }) => [seq, epoch])).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
    ]);
    expect(sequence.faults).toEqual({ dropped: 1, missing: 0 });
  });

  it('leave out the one line that a leader wrote just before its successor, who had not seen it', () => {
    const { held } = heldOf([line(1, 1), line(2, 1, 'late'), line(2, 2, 'ours'), line(3, 2)]);
    expect(held.map(({ type }) => type)).toEqual(['x', 'ours', 'x']);
  });

  it('leave out the whole write that a leader made just before its successor, as far as that had not seen it', () => {
    const late = [line(2, 1), line(3, 1, 'late'), line(4, 1, 'late')];
    const { held, sequence } = heldOf([line(1, 1), ...late, line(3, 2, 'ours'), line(4, 2, 'ours')], 8);
    expect(held.map(({ type }) => type)).toEqual(['x', 'x', 'ours', 'ours']);
    expect(sequence.faults.dropped).toBe(2);
  });

  it('tell how many numbers are missing', () => {
    expect(heldOf([line(1, 1), line(5, 1)]).sequence.faults).toEqual({ dropped: 0, missing: 3 });
  });

  it('never repeat or go back, in number or epoch, whatever is in the file', () => {
    const anyLine = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 4 }));
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (lines, batchLines) => {
        const { held } = heldOf(
          lines.map(([seq, epoch]) => line(seq, epoch)),
          batchLines,
        );
        for (const [index, { seq, epoch }] of held.entries()) {
          const before = held[index - 1];
          expect(before === undefined || (seq > before.seq && epoch >= before.epoch)).toBe(true);
        }
      }),
    );
  });
});
