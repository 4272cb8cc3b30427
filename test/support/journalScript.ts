import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/core/base/clock';
import { silentLogger } from '../../src/core/base/logger';
import { Journal } from '../../src/core/host/journal';
import { openLease } from '../../src/core/registry/lease';
import { ownFileOwner } from '../../src/core/system/fileOwner';
import { anExit } from './workerFacts';

/**
 * A leader that does nothing but write the event log of the workers folder given as first argument. As adopting leaders
 * do, it tells everything again that it knows: the start and the end of the workers `w1` … up to the second argument,
 * then whatever is new. It prints a line for each event that was accepted.
 */
async function main([workersDir = '', known = '0']: readonly string[]): Promise<void> {
  const clock = systemClock();
  const owner = await ownFileOwner();
  const nonce = randomBytes(8).toString('hex');
  const lease = openLease({ workersDir, surface: 'cli', endpoint: '', nonce, owner, clock });
  const attempt = await lease.tryAcquire();
  if (attempt.kind !== 'leading') {
    throw new Error(`not leading: ${attempt.kind}`);
  }
  const journal = new Journal({ workersDir, lease, clock, logger: silentLogger, surface: 'cli', pid: owner.pid });
  await journal.lead(attempt.epoch);
  for (let number = 1; ; number += 1) {
    const worker = `w${String(number)}`;
    const startedAt = new Date(number).toISOString();
    await journal.require({
      type: 'WorkerStarted',
      data: { worker, workerType: 't', startedAt, by: null, found: false },
    });
    await journal.require({ type: 'WorkerExited', data: { worker, exit: anExit({ at: startedAt }) } });
    if (number > Number(known)) {
      process.stdout.write(`${String(number)}\n`);
    }
  }
}

void main(process.argv.slice(2));
