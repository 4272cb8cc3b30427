import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetSnapshot, START, workerSnapshot } from '../../test/support/snapshots';
import { statusTable } from '../core/protocol/workers/statusTable';
import { openInbox } from './fleetInbox';
import { garbageJson } from './json/planJson';
import { logJson } from './json/resultJson';
import { statusJson } from './json/statusJson';
import { startOfLastLines } from './logFile';
import { LogPrinter } from './logPrinter';
import { colourTable } from './text/colourTable';
import { endText } from './text/endText';
import { garbageText } from './text/garbageText';
import { inboxText } from './text/inboxText';
import { terminalReader } from './text/terminalReader';
import { queueTable } from './text/queueTable';

const id = 'wkr-20260301-143022-health-check';

describe('the text of an end', () => {
  it('names the outputs of a completed worker', () => {
    const text = endText(workerSnapshot({ state: 'completed', outputs: ['a.json', 'b.md'] }), START);
    expect(text).toBe(`Worker ${id} completed.
  .keysarium/workers/${id}/output/a.json
  .keysarium/workers/${id}/output/b.md`);
  });

  it('names cause, error and log of a failed one, without what a terminal would obey', () => {
    const worker = workerSnapshot({
      state: 'failed',
      error: 'disk\u001B[2J full',
      exit: { code: 3, signal: null, at: '2026-03-01T14:31:00.000Z', class: 'crash', requestedBy: null, forced: false },
    });
    expect(endText(worker, START)).toBe(`Worker ${id} failed: disk full (exit 3)
  disk full
  Log: ${worker.logFile}`);
  });

  it('says where the changes of one in a worktree wait, and how to take them', () => {
    const isolation = { level: 'worktree', note: null, violations: [] } as const;
    for (const state of ['completed', 'failed', 'stopped'] as const) {
      const lines = endText(workerSnapshot({ state, isolation }), START).split('\n');
      expect(lines.slice(-2)).toEqual([
        `  Its changes wait in the worktree .keysarium/worktrees/${id}.`,
        `  See them with \`rollcall worktree diff ${id}\`, take them with \`rollcall worktree merge --commit ${id}\`.`,
      ]);
    }
  });

  it('says of a failed one that is retried by itself when that comes, and which retry it is', () => {
    const worker = workerSnapshot({ state: 'backoff', nextStartAt: START + 10_000 });
    const lines = endText(worker, START + 500).split('\n');
    expect(lines[0]).toBe(`Worker ${id} failed: failed`);
    expect(lines.at(-1)).toBe('  It is retried in 9 s (1 of 2) while a window or program leads this project.');
    expect(endText(worker, START + 10_000)).toContain('It is retried now (1 of 2)');
  });

  it('names the hardest step of a stop that asking did not do, once nothing is left', () => {
    const at = '2026-03-01T15:00:00.000Z';
    const steps = (['terminate', 'kill', 'verified'] as const).map((step) => ({ step, at, alive: 1 }));
    const stop = { requestedBy: 'cli', at, steps, finished: true } as const;
    expect(endText(workerSnapshot({ state: 'stopped', stop }), START)).toBe(
      `Worker ${id} stopped.\n  Ended by SIGKILL; none of its processes is left.`,
    );
    expect(endText(workerSnapshot({ state: 'stopped', stop: { ...stop, finished: false } }), START)).toBe(
      `Worker ${id} stopped.`,
    );
  });

  it('names the fuse that stopped a worker and what to do, until it is reset', () => {
    const limits = { minutes: 30, memoryMB: null };
    const blown = { fuse: 'wall time', limit: 30, at: '2026-03-01T15:00:00.000Z' } as const;
    const fuses = { limits, blown, peakBytes: null };
    const attention = { kind: 'fuse', text: 'wall time: 30 min' } as const;
    expect(
      endText(workerSnapshot({ state: 'stopped', fuses, attention }), START),
    ).toBe(`Worker ${id} stopped by a fuse (wall time: 30 min).
  Raise its limit in .vscode/workers.json, or give it less to do: a fuse ended it.
  Reset its fuse; then it can be retried.
  Reset: rollcall fuse reset ${id}`);
    expect(endText(workerSnapshot({ state: 'stopped', fuses }), START)).not.toContain('fuse reset');
  });

  it('does not claim more than it knows', () => {
    expect(endText(workerSnapshot({ state: 'stopped' }), START)).toBe(`Worker ${id} stopped.`);
    expect(endText(workerSnapshot({ state: 'unknown' }), START)).toContain('nobody saw how it ended');
  });
});

describe('the coloured table', () => {
  const table = statusTable(
    [workerSnapshot(), workerSnapshot({ type: 'failed', state: 'failed' }), workerSnapshot({ state: 'stopped' })],
    3,
  );

  it('differs from the plain one in colour alone, and colours status words alone', () => {
    const coloured = colourTable(table);
    expect(coloured.replace(/\u001B\[\d+m/g, '')).toBe(table);
    expect([...coloured.matchAll(/\u001B\[\d+m(\S+)\u001B\[0m/g)].map((match) => match[1])).toEqual([
      'running',
      'failed',
      'stopped',
    ]);
  });
});

describe('status --json', () => {
  it('turns instants into ISO times and whole ages, and never an age below zero', () => {
    const evidence = [
      { source: 'keeper', says: 'alive', at: START + 4400 },
      { source: 'status.json', says: 'running', at: START + 9000 },
      { source: 'stop flag', says: 'none', at: null },
    ] as const;
    const leader = { pid: 7, surface: 'vscode', since: '2026-03-01T14:00:00.000Z', epoch: 2, self: false };
    const workers = [workerSnapshot({ evidence, lastSeenAt: null, nextStartAt: START + 10_000 })];
    const queue = [{ id: 'q-1', type: 'consolidate', since: START }];
    expect(statusJson(fleetSnapshot(workers, { at: START + 5000, leader, queue }))).toMatchObject({
      queue: [{ id: 'q-1', type: 'consolidate', since: '2026-03-01T14:30:22.000Z' }],
      at: '2026-03-01T14:30:27.000Z',
      leader: { pid: 7, surface: 'vscode', since: '2026-03-01T14:00:00.000Z' },
      workers: [
        {
          worker_id: id,
          lastSeen: null,
          nextStartAt: '2026-03-01T14:30:32.000Z',
          canRetry: false,
          evidence: [{ ageSeconds: 1 }, { ageSeconds: 0 }, { ageSeconds: null }],
        },
      ],
    });
  });
});

describe('a blown fuse', () => {
  const worker = workerSnapshot({
    state: 'stopped',
    endedAt: START,
    attention: { kind: 'fuse', text: 'memory: 9 MB' },
  });
  const logs = { name: 'logs', limitMB: 10, measuredMB: 11, since: START + 5000, biggest: [] } as const;
  const snapshot = fleetSnapshot([worker], { fuses: [logs] });

  it('is one kind of row in status --json, whether it is of a worker or of the whole project', () => {
    expect(statusJson(snapshot)).toMatchObject({
      fuses: [
        { id, worker: id, fuse: 'memory: 9 MB', since: '2026-03-01T14:30:22.000Z', reset: `rollcall fuse reset ${id}` },
        { id: 'logs', worker: null, fuse: 'total logs: 10 MB', reset: 'rollcall fuse reset logs' },
      ],
    });
  });

  it('stands in the inbox with what resets it', () => {
    const text = inboxText(openInbox(snapshot), [], terminalReader(START));
    expect(text).toMatch(/^fuse:logs +project +fuse +total logs: 10 MB \(11 MB now\)$/m);
    expect(text).toMatch(new RegExp(`^worker:${id} +health-check +fuse +memory: 9 MB$`, 'm'));
    expect(text.split('\n').at(-1)).toBe('Use `rollcall fuse reset <ID>`.');
  });
});

describe('the table of queued starts', () => {
  const queue = [
    { id: 'q-0a1b2c3d', type: 'consolidate', since: START },
    { id: 'q-4e5f6071', type: 'health-check', since: START + 4000 },
  ];

  it('shows each with its place and how long it waits, and who starts them where nobody leads', () => {
    const snapshot = fleetSnapshot([], { at: START + 70_000, queue });
    expect(queueTable(snapshot).split('\n')).toEqual([
      'ID          Type              Place         Waits',
      'q-0a1b2c3d  consolidate       queued, 1st   1m 10s',
      'q-4e5f6071  health-check      queued, 2nd   1m 06s',
      '',
      'Nobody leads this project. Open it in a window, or let `rollcall start <type> --when-free` wait.',
    ]);
    const leader = { pid: 7, surface: 'vscode', since: '2026-03-01T14:00:00.000Z', epoch: 2, self: false };
    expect(queueTable({ ...snapshot, leader })).not.toContain('Nobody leads');
  });

  it('is a sentence without any', () => {
    expect(queueTable(fleetSnapshot([]))).toBe('No starts are queued.');
  });
});

describe('the text about old folders', () => {
  const now = START + 183_600_000;
  const one = { folders: [{ workerId: id, changedAt: START }], trash: null };
  const moved = { folders: [...one.folders, { workerId: `${id}-2`, changedAt: START }], trash: '/project/.trash/1' };

  it('lists them with their ages, and names the step that follows or takes back', () => {
    expect(garbageText('listed', one, now)).toBe(
      `1 worker folder can go:\n  ${id}  2d 03h old\nUse \`rollcall gc --apply\` to move it into the trash.`,
    );
    expect(garbageText('moved', moved, now)).toContain('Moved 2 worker folders to /project/.trash/1:');
    expect(garbageText('moved', moved, now)).toContain('rollcall gc --undo');
    expect(garbageText('restored', one, now)).toBe(`Put 1 worker folder back:\n  ${id}  2d 03h old`);
    expect(garbageJson('moved', moved, now)).toMatchObject({
      action: 'moved',
      trash: '/project/.trash/1',
      folders: [{ worker_id: id, changedAt: '2026-03-01T14:30:22.000Z', ageSeconds: 183_600 }, {}],
    });
  });

  it('says so where there is nothing', () => {
    const nothing = { folders: [], trash: null };
    expect(garbageText('listed', nothing, now)).toBe('No worker folder is old enough to go.');
    expect(garbageText('restored', nothing, now)).toBe('There is nothing to put back.');
  });
});

describe('the last lines of a log', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', '✓') });

  it('are the last ones for any log and count, with or without a newline at its end', () => {
    fc.assert(
      fc.property(fc.array(line), fc.nat(10), fc.boolean(), (lines, count, closed) => {
        const text = lines.join('\n') + (closed && lines.length > 0 ? '\n' : '');
        const bytes = Buffer.from(text);
        const tail = bytes.toString('utf8', startOfLastLines(bytes, count));
        const expected = logJson(id, text) as { lines: string[] };
        expect((logJson(id, tail) as { lines: string[] }).lines).toEqual(
          count === 0 ? [] : expected.lines.slice(-count),
        );
      }),
    );
  });
});

describe('a followed log', () => {
  function printer(options: { readonly json?: boolean; readonly skipBytes?: number }): {
    printer: LogPrinter;
    printed: () => string;
  } {
    let text = '';
    const outRaw = (piece: string): void => {
      text += piece;
    };
    const made = new LogPrinter({ outRaw }, { workerId: id, json: false, skipBytes: 0, ...options });
    return { printer: made, printed: () => text };
  }

  it('is the same text however it is cut into pieces, less the skipped bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', '\n', '✓') })), fc.boolean(), (pieces, skip) => {
        const whole = pieces.join('');
        const first = pieces[0] ?? '';
        const { printer: own, printed } = printer({ skipBytes: skip ? Buffer.byteLength(first) : 0 });
        for (const text of pieces) {
          own.take({ text, reset: false });
        }
        own.end();
        const expected = skip ? whole.slice(first.length) : whole;
        expect(printed()).toBe(expected === '' || expected.endsWith('\n') ? expected : `${expected}\n`);
      }),
    );
  });

  it('is one JSON document a line, also for a line that comes in pieces', () => {
    const { printer: own, printed } = printer({ json: true });
    for (const text of ['one\ntw', 'o\n', 'three']) {
      own.take({ text, reset: false });
    }
    own.end();
    const lines = printed().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
      ['one', 'two', 'three'].map((line) => ({ schema: 1, worker_id: id, line })),
    );
  });

  it('counts from the begin again after a rotation', async () => {
    const { printer: own, printed } = printer({ skipBytes: 100 });
    own.take({ text: 'old\n', reset: false });
    own.take({ text: 'new\n', reset: true });
    await own.reached(4);
    expect(printed()).toBe('new\n');
  });
});
