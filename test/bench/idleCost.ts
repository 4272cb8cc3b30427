import { join } from 'node:path';
import { ownIdentity } from '../../src/core/system/processIdentity';
import type { Bench } from './bench';
import { writeFleet } from './fleetFiles';
import { runForJson } from './runProgram';

/** What a window that leads and watches costs while nothing happens, in percent of one processor. */
export const idleCost: Bench = {
  name: 'idle',
  run: async (context) => {
    const rows = [];
    for (const count of context.short ? [100] : [10, 100, 1_000]) {
      const root = join(context.tempDir, `idle-${String(count)}`);
      await writeFleet({ root, count, active: count, living: await ownIdentity() });
      const seconds = context.short ? 5 : 60;
      const script = await context.script('idleWindow');
      const { percent } = await runForJson<{ percent: number }>(script, [root, context.distDir, String(seconds)]);
      rows.push({
        title: `idle window with ${String(count)} running workers`,
        unit: '% CPU',
        value: percent,
        reference: null,
        bars: count === 100 ? [{ of: 'value', limit: 0.5 } as const] : [],
        note: null,
      });
    }
    return rows;
  },
};
