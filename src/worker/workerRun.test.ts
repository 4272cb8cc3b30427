import { readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/tempProject';
import type { Clock } from '../core/base/clock';
import { toDisposable } from '../core/base/disposable';
import type { BuiltinType, WorkItem } from './builtinType';
import type { WorkerOrder } from './workerOrder';
import { runWorker } from './workerRun';

/** Time passes only in pauses, and `onPause` sees each of them. */
function steppedClock(onPause: () => void): Clock {
  let ms = Date.UTC(2026, 2, 1, 14, 30, 22);
  return {
    now: () => ms,
    monotonic: () => ms,
    schedule(delayMs, run) {
      ms += delayMs;
      onPause();
      run();
      return toDisposable(() => undefined);
    },
  };
}

function item(name: string, run: () => Promise<string> = async () => Promise.resolve('done')): WorkItem {
  return { phase: `counting ${name}`, name, run };
}

async function runItems(items: readonly WorkItem[], onPause: (folder: string) => void = () => undefined) {
  const folder = await tempProject();
  const type: BuiltinType = ({ outputs }) => ({
    items,
    finishPhase: 'adding up',
    async finish() {
      await outputs.write('sum.txt', 'all');
      return 'summed up';
    },
  });
  const order: WorkerOrder = {
    type: 'count',
    workerId: 'wkr-20260301-143022-count',
    root: folder,
    folder,
    paceMs: 100,
  };
  const lines: string[] = [];
  const code = await runWorker(order, {
    clock: steppedClock(() => {
      onPause(folder);
    }),
    types: new Map([['count', type]]),
    log: (line) => lines.push(line),
  });
  return { code, lines, folder, status: JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8')) as unknown };
}

describe('a run of builtin work', () => {
  it('says before each item what it does, how far it is and the real total', async () => {
    const seen: unknown[] = [];
    await runItems([item('a'), item('b'), item('c')], (folder) => {
      seen.push((JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8')) as { progress: unknown }).progress);
    });
    expect(seen).toEqual([
      { phase: 'counting a', items_processed: 0, total_items: 3 },
      { phase: 'counting b', items_processed: 1, total_items: 3 },
      { phase: 'counting c', items_processed: 2, total_items: 3 },
    ]);
  });

  it('logs one line per item and ends completed with its output in place', async () => {
    const { code, lines, folder, status } = await runItems([item('a'), item('b')]);
    expect(code).toBe(0);
    expect(lines).toEqual(['count: 2 items', '[1/2] a: done', '[2/2] b: done', 'summed up']);
    expect(await readFile(join(folder, 'output/sum.txt'), 'utf8')).toBe('all');
    expect(status).toEqual({
      worker_id: 'wkr-20260301-143022-count',
      type: 'count',
      status: 'completed',
      started_at: '2026-03-01T14:30:22Z',
      completed_at: '2026-03-01T14:30:22Z',
      progress: { phase: 'completed', items_processed: 2, total_items: 2 },
      error: null,
    });
  });

  it('finishes the item at work before it obeys a stop request, and starts no other', async () => {
    let lastFolder = '';
    const { code, lines, status } = await runItems(
      [
        item('a'),
        item('b', async () => {
          writeFileSync(join(lastFolder, 'stop-requested'), '');
          return Promise.resolve('done');
        }),
        item('c'),
      ],
      (folder) => {
        lastFolder = folder;
      },
    );
    expect(code).toBe(0);
    expect(lines).toEqual(['count: 3 items', '[1/3] a: done', '[2/3] b: done', 'Stopped as asked.']);
    expect(status).toMatchObject({ status: 'stopped', progress: { items_processed: 2, total_items: 3 } });
  });

  it('obeys a stop request of the last moment, before it writes results', async () => {
    let folder = '';
    const last = item('a', async () => {
      writeFileSync(join(folder, 'stop-requested'), '');
      return Promise.resolve('done');
    });
    const run = await runItems([last], (own) => {
      folder = own;
    });
    expect(run.status).toMatchObject({ status: 'stopped', progress: { items_processed: 1, total_items: 1 } });
    expect(await readdir(run.folder)).toEqual(['status.json', 'stop-requested']);
  });

  it('fails with the reason, keeping the progress that was reached', async () => {
    const { code, lines, folder, status } = await runItems([
      item('a'),
      item('b', async () => Promise.reject(new Error('the disk is on fire'))),
    ]);
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe('Failed: the disk is on fire');
    expect(await readFile(join(folder, 'error.log'), 'utf8')).toMatch(
      /^2026-03-01T14:30:22\.200Z wkr-\S+\nError: the disk/,
    );
    expect(status).toMatchObject({
      status: 'failed',
      error: 'the disk is on fire',
      progress: { phase: 'counting b', items_processed: 1, total_items: 2 },
    });
  });
});
