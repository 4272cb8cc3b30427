import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../core/protocol/actors/message';
import type { MailItem } from '../../core/protocol/keeper/mail';
import { acceptedIn, type SpooledSend } from '../../core/protocol/keeper/spoolLine';
import { Spool } from './spool';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-spool-'));
  path = join(folder, 'spool.jsonl');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const text = '€'.repeat(10);

function message(id: number): Message {
  return { id: `m${id}`, type: 'Query', from: 'a', to: 'b', timestamp: '2026-03-01T14:30:22.000Z', payload: { text } };
}

function send(n: number): SpooledSend {
  return { from: message(n), run: 'r', n };
}

function item(seq: number): MailItem {
  return { seq, message: message(seq) };
}

function numbers(spool: Spool, after = 0): readonly number[] {
  return spool.acceptedAfter(after, Number.POSITIVE_INFINITY).map(({ number }) => number);
}

/** Opens the spool for one look, as the next keeper does. */
function reopened<T>(look: (spool: Spool) => T): T {
  const spool = new Spool(path);
  try {
    return look(spool);
  } finally {
    spool.close();
  }
}

describe('a spool', () => {
  it('torn at any byte keeps every whole line, and goes on behind it', () => {
    reopened((spool) => {
      spool.accept([send(1), send(2)]);
      spool.deliver([item(4), item(6)]);
      spool.begin('p', false);
      spool.hand([4], 'p');
      spool.finish([4], 'acked');
      spool.accept([send(3)]);
    });
    const whole = readFileSync(path);
    for (let size = 0; size <= whole.length; size += 1) {
      const torn = whole.subarray(0, size);
      writeFileSync(path, torn);
      const lines = torn.subarray(0, torn.lastIndexOf(10) + 1).toString();
      reopened((spool) => {
        const kept = acceptedIn(lines, 0);
        expect(numbers(spool)).toEqual(kept.map(({ number }) => number));
        expect(spool.isAccepted('r', kept.length) || kept.length === 0).toBe(true);
        expect(spool.isAccepted('r', kept.length + 1)).toBe(false);
        spool.accept([send(9)]);
        expect(numbers(spool).at(-1)).toBe(kept.length + 1);
      });
      expect(readFileSync(path, 'utf8').startsWith(lines)).toBe(true);
      expect(acceptedIn(readFileSync(path, 'utf8'), 0)).toHaveLength(acceptedIn(lines, 0).length + 1);
    }
    // Some thousand files, on whatever disk that is.
  }, 60_000);

  it('is the same after it was opened again, whatever happened to it', () => {
    const step = fc.record({
      what: fc.constantFrom('accept', 'take', 'deliver', 'hand', 'ack', 'done', 'withdraw', 'begin'),
      by: fc.constantFrom('p', 'q'),
      number: fc.nat(12),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        rmSync(path, { force: true });
        const spool = new Spool(path);
        for (const { what, by, number } of steps) {
          act(spool, what, by, number);
        }
        const before = { accepted: numbers(spool), last: spool.last, known: knownIn(spool) };
        spool.close();
        reopened((again) => {
          expect({ accepted: numbers(again), last: again.last, known: knownIn(again) }).toEqual(before);
        });
        expect(acceptedIn(readFileSync(path, 'utf8'), 0).map(({ number }) => number)).toEqual(before.accepted);
      }),
      { numRuns: 200 },
    );
  });

  it('stays small however much goes through it, and forgets nothing that matters', () => {
    const large = { text: 'x'.repeat(10_000) };
    reopened((spool) => {
      spool.deliver([item(1), item(2)]);
      for (let n = 1; n <= 2000; n += 1) {
        spool.accept([{ from: { ...message(n), payload: large }, run: 'r', n }]);
        spool.deliver([{ seq: n + 2, message: { ...message(n), payload: large } }]);
        spool.hand([n + 2], 'p');
        spool.finish([n + 2], 'acked');
        spool.take(n - 1);
      }
      expect(statSync(path).size).toBeLessThan(4 * 1024 * 1024);
    });
    reopened((spool) => {
      expect(numbers(spool)).toEqual([2000]);
      expect(spool.isAccepted('r', 2000)).toBe(true);
      expect(spool.isAccepted('r', 2001)).toBe(false);
      spool.deliver([item(1), item(2), item(1999), item(2002), item(2003)]);
      expect(spool.next(9).map(({ seq }) => seq)).toEqual([1, 2, 2003]);
    });
  });

  it('remembers what is done with as long as it may come again', () => {
    reopened((spool) => {
      for (let seq = 1; seq <= 20_000; seq += 100) {
        spool.deliver(Array.from({ length: 100 }, (_, index) => item(seq + index)));
        spool.finish(
          Array.from({ length: 100 }, (_, index) => seq + index),
          'acked',
        );
      }
      spool.deliver([item(20_000), item(16_000), item(7), item(20_001)]);
      expect(spool.next(9).map(({ seq }) => seq)).toEqual([20_001]);
      expect(spool.state().acked.length).toBeLessThan(10_000);
    });
  });
});

function act(spool: Spool, what: string, by: string, number: number): void {
  switch (what) {
    case 'accept':
      spool.accept([{ from: message(number), run: by, n: number }]);
      break;
    case 'take':
      spool.take(Math.min(number, spool.last));
      break;
    case 'deliver':
      spool.deliver([item(number)]);
      break;
    case 'hand':
      spool.hand(
        spool.next(number).map(({ seq }) => seq),
        by,
      );
      break;
    case 'withdraw':
      spool.withdraw([number]);
      break;
    case 'begin':
      spool.begin(by, true);
      break;
    default:
      spool.finish([number], what === 'ack' ? 'acked' : 'done');
  }
}

function knownIn(spool: Spool): unknown {
  const { handed, acked, waiting } = spool.state();
  const sorted = [handed, acked, waiting].map((seqs) => [...seqs].sort((a, b) => a - b));
  spool.begin('another', false);
  return [...sorted, spool.next(99)];
}
