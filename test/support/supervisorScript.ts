import { createInterface } from 'node:readline';
import { KeptWorker, WORKER_PROGRAMS } from './keptWorker';

/**
 * A supervising process that can be killed: starts a worker in the root given first, with the keeper given second and
 * the program named third, and obeys `stop` on stdin. It prints what it was answered.
 */
async function main([root = '', keeperScript = '', program = 'obeys']: readonly string[]): Promise<void> {
  const worker = new KeptWorker(root, keeperScript);
  const supervisor = worker.supervisor();
  const say = (message: unknown): void => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  };
  say(await supervisor.start(worker.spec(WORKER_PROGRAMS[program as keyof typeof WORKER_PROGRAMS])));
  createInterface({ input: process.stdin }).on('line', () => {
    void worker
      .facts()
      .then(async (facts) => await supervisor.stop({ facts, epoch: 1, requestedBy: 'first window', force: false }))
      .then(say);
  });
}

void main(process.argv.slice(2));
