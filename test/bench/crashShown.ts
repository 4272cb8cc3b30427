import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endKeepersOf } from '../support/endKeepersOf';
import { type Bench, median, percentile } from './bench';
import { runForJson } from './runProgram';

/** From a worker's crash to "backoff" in the snapshot that a window draws. */
export const crashShown: Bench = {
  name: 'crash',
  run: async (context) => {
    const root = join(context.tempDir, 'crash');
    mkdirSync(root);
    try {
      const script = await context.script('crashScript');
      const times = await runForJson<number[]>(script, [root, context.distDir, context.short ? '5' : '100']);
      const row = { unit: 'ms', reference: null, note: null };
      return [
        { ...row, title: 'crash to backoff on screen data, p50', value: median(times), bars: [] },
        {
          ...row,
          title: 'crash to backoff on screen data, p99',
          value: percentile(times, 0.99),
          bars: [{ of: 'value', limit: 50 }],
        },
      ];
    } finally {
      await endKeepersOf(root);
    }
  },
};
