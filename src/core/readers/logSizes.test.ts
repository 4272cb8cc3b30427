import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import { systemClock } from '../base/clock';
import { LogSizes } from './logSizes';

const LOUD = 'wkr-20260301-143022-loud';
const QUIET = 'wkr-20260301-143023-quiet';

function write(root: string, path: string, bytes: number): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'x'.repeat(bytes));
  return file;
}

describe('the sizes of the logs', () => {
  it('are those of named files of workers and agents, the biggest first, and of nothing else', async () => {
    const root = await tempProject();
    for (const [name, bytes] of Object.entries({ 'output.raw': 100, 'worker.log': 10, 'worker.log.1': 20 })) {
      write(root, `${LOUD}/${name}`, bytes);
    }
    write(root, `${LOUD}/error.log`, 3);
    write(root, `${LOUD}/output/report.md`, 5_000);
    write(root, `${LOUD}/status.json`, 700);
    write(root, `${QUIET}/worker.log`, 7);
    write(root, 'registry.json', 900);
    write(root, `.trash/2026-03-01/${LOUD}/worker.log`, 8_000);
    write(root, 'session/keepers/pm/output.raw', 30);
    write(root, 'session/logs/pm.log', 4);
    write(root, 'session/eventlog.jsonl', 600);
    const sizes = new LogSizes({ workersDir: root, clock: systemClock() });
    expect(await sizes.measure(join(root, 'session'))).toEqual([
      { of: LOUD, bytes: 133 },
      { of: 'pm', bytes: 34 },
      { of: QUIET, bytes: 7 },
    ]);
    expect(await sizes.measure(null)).toHaveLength(2);
  });

  it('are none where there is no folder, and a link counts as nothing', async () => {
    const root = await tempProject();
    const sizes = new LogSizes({ workersDir: join(root, 'none'), clock: systemClock() });
    expect(await sizes.measure(join(root, 'session'))).toEqual([]);
    const big = write(root, 'big', 500);
    mkdirSync(join(root, 'none', QUIET), { recursive: true });
    symlinkSync(big, join(root, 'none', QUIET, 'worker.log'));
    expect(await sizes.measure(null)).toEqual([]);
  });

  it('are measured anew while a log grows; one that rested for ten minutes is believed to', async () => {
    const root = await tempProject();
    const sizes = new LogSizes({ workersDir: root, clock: systemClock() });
    const growing = write(root, `${LOUD}/worker.log`, 5);
    const resting = write(root, `${QUIET}/worker.log`, 5);
    const before = new Date(Date.now() - 11 * 60_000);
    utimesSync(resting, before, before);
    await sizes.measure(null);
    writeFileSync(growing, 'x'.repeat(50));
    writeFileSync(resting, 'x'.repeat(60));
    expect(await sizes.measure(null)).toEqual([
      { of: LOUD, bytes: 50 },
      { of: QUIET, bytes: 5 },
    ]);
  });
});
