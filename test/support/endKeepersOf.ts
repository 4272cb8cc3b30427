import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isKeeperClaim } from '../../src/core/protocol/keeper/keeperClaim';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import type { ProcessIdentity, WorkerProcess } from '../../src/core/protocol/keeper/processIdentity';
import { livenessOf } from '../../src/core/system/processIdentity';
import { ProcessTree } from '../../src/core/system/processTree';
import { treeMarker } from '../../src/keeper/treeMarker';

const PAUSE_MS = 5;

/** Ends every keeper that the records of this project name, and the whole tree of what it keeps, each by its identity. */
export async function endKeepersOf(root: string): Promise<void> {
  await endKeepersIn(join(root, '.keysarium', 'workers'));
  const agents = join(root, '.claude', 'session', 'keepers');
  await endKeepersIn(agents);
  for (const agent of existsSync(agents) ? readdirSync(agents) : []) {
    await endKeepersIn(join(agents, agent, 'calls'));
  }
}

async function endKeepersIn(dir: string): Promise<void> {
  for (const workerId of existsSync(dir) ? readdirSync(dir) : []) {
    const folder = join(dir, workerId);
    const path = join(folder, 'keeper.json');
    const record = existsSync(path) ? readKeeperRecord(readFileSync(path, 'utf8')) : null;
    if (record !== null && !isKeeperClaim(record)) {
      await end(record.keeper);
    }
    if (record !== null && record.process !== null) {
      await endTree(record.process, treeMarker(workerId, folder));
    }
  }
}

async function end(identity: ProcessIdentity): Promise<void> {
  while ((await livenessOf(identity)) === 'alive') {
    process.kill(identity.pid, 'SIGKILL');
    await setTimeout(PAUSE_MS);
  }
}

async function endTree(leader: WorkerProcess, marker: string): Promise<void> {
  const tree = new ProcessTree(leader, marker);
  while ((await tree.signal('SIGKILL')) > 0) {
    await setTimeout(PAUSE_MS);
  }
}
