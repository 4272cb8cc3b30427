import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '../../src/core/system/processIdentity';
import { alternate, type Bench, timeOf } from './bench';
import { writeFleet } from './fleetFiles';
import { Pm2, PM2_MISSING, PM2_NAME } from './pm2Reference';
import { runProgram } from './runProgram';
import { SLEEPERS, writeSleepers } from './sleepers';

/** `rollcall status` with 20 running workers, from the start of the process to its end. */
export const commandLine: Bench = {
  name: 'status',
  run: async ({ distDir, tempDir, short }) => {
    const root = join(tempDir, 'status');
    await writeFleet({ root, count: SLEEPERS, active: SLEEPERS, living: await ownIdentity() });
    const others = join(tempDir, 'status-pm2');
    mkdirSync(others);
    const pm2 = await Pm2.open(join(others, 'home'));
    try {
      await pm2?.run('start', pm2.appsFile(others, writeSleepers(others), SLEEPERS));
      const status = [join(distDir, 'cli.js'), 'status', '--json'];
      const ours = async (): Promise<number> => timeOf(async () => runProgram(status, { cwd: root }));
      const theirs = async (): Promise<number> => timeOf(async () => pm2?.run('jlist'));
      const figures = await alternate(short ? 3 : 11, ours, theirs);
      return [
        {
          title: `rollcall status, ${String(SLEEPERS)} workers, whole process`,
          unit: 'ms',
          value: figures.ours,
          reference: pm2 === null ? null : { title: `${PM2_NAME} jlist`, value: figures.reference },
          bars: pm2 === null ? [] : [{ of: 'ratio', limit: 0.6 }],
          note: pm2 === null ? PM2_MISSING : null,
        },
      ];
    } finally {
      await pm2?.close();
    }
  },
};
