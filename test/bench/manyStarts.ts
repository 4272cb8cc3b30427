import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endKeepersOf } from '../support/endKeepersOf';
import { alternate, type Bench, timeOf } from './bench';
import { Pm2, PM2_MISSING, PM2_NAME } from './pm2Reference';
import { runProgram } from './runProgram';
import { SLEEPERS, writeSleepers } from './sleepers';

/** 20 workers, from the start of a process that leads to the moment when it sees all of them running. */
export const manyStarts: Bench = {
  name: 'starts',
  run: async (context) => {
    const others = join(context.tempDir, 'starts-pm2');
    mkdirSync(others);
    const pm2 = await Pm2.open(join(others, 'home'));
    const apps = pm2?.appsFile(others, writeSleepers(others), SLEEPERS) ?? '';
    const script = await context.script('startSleepers');
    let round = 0;
    const ours = async (): Promise<number> => {
      const root = join(context.tempDir, `starts-${String((round += 1))}`);
      writeSleepers(root);
      try {
        return await timeOf(async () => runProgram([script, root, context.distDir]));
      } finally {
        await endKeepersOf(root);
      }
    };
    const theirs = async (): Promise<number> => {
      const time = await timeOf(async () => pm2?.run('start', apps));
      await pm2?.run('delete', 'all');
      return time;
    };
    try {
      const figures = await alternate(context.short ? 1 : 5, ours, theirs);
      return [
        {
          title: `${String(SLEEPERS)} workers from start to all running`,
          unit: 'ms',
          value: figures.ours,
          reference: pm2 === null ? null : { title: `${PM2_NAME} start`, value: figures.reference },
          bars: pm2 === null ? [] : [{ of: 'ratio', limit: 1 }],
          note: pm2 === null ? PM2_MISSING : null,
        },
      ];
    } finally {
      await pm2?.close();
    }
  },
};
