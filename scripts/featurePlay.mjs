// The run of a feature that `npm start -- --features` plays in the sample.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../test/support/zergRun.py', import.meta.url));

/** Plays a run in `sample` from now on; `end` ends that and takes the run's folders away. */
export function playFeatures(sample) {
  const player = spawn('python3', [script, sample, '--play'], { stdio: 'inherit' });
  player.once('error', (error) => console.error(`No run is played: ${error.message}. Install python3.`));
  return { player, end: async () => endPlay(player, sample) };
}

async function endPlay(player, sample) {
  if (player.pid !== undefined && player.exitCode === null && player.signalCode === null) {
    const ended = once(player, 'exit');
    player.kill();
    // It would make its folders again.
    await ended;
  }
  await Promise.all(['.zerg', '.gsd'].map(async (name) => rm(join(sample, name), { recursive: true, force: true })));
}
