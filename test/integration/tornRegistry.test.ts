import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import type { ProcessIdentity } from '../../src/core/protocol/keeper/processIdentity';
import { identityOf, livenessOf } from '../../src/core/system/processIdentity';
import { endKeepersOf } from '../support/endKeepersOf';
import { eventually } from '../support/keeperRig';
import { killIdentity, WORKER_PROGRAMS } from '../support/keptWorker';
import { tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';
import { started, workersDirOf } from '../support/workersProject';

/** Starts a child in a session of its own, notes it in `child`, and stays. */
const forks = {
  description: 'has a child of its own session',
  isolation: 'audit',
  command: ['node', '-e', `${WORKER_PROGRAMS.forks} setInterval(() => {}, 1000);`, '.'],
};

function recordOf(root: string, id: string): KeeperRecord {
  const record = readKeeperRecord(readFileSync(join(workersDirOf(root), id, 'keeper.json'), 'utf8'));
  if (record === null) {
    throw new Error('keeper.json cannot be read');
  }
  return record;
}

async function childIn(root: string): Promise<ProcessIdentity> {
  return await eventually(async () => {
    const child = await identityOf(Number(readFileSync(join(root, 'child'), 'utf8')));
    if (child === null) {
      throw new Error('the child was not seen');
    }
    return child;
  });
}

test('a worker whose keeper dies while the registry is torn is taken over, and its tree outlives it no more', async () => {
  const root = await tempProject({ '.vscode/workers.json': JSON.stringify({ version: 1, types: { forks } }) });
  onTestFinished(async () => endKeepersOf(root));
  const host = await openTestHost(root);
  await host.watch();
  await host.lead();
  const id = await started(host, 'forks');
  const child = await childIn(root);
  const { keeper, process } = recordOf(root, id);

  // Torn for so long that nobody can be in the middle of writing it.
  const registry = join(workersDirOf(root), 'registry.json');
  writeFileSync(registry, '{ "version": "1.0", "workers": [ {');
  utimesSync(registry, 1, 1);
  await killIdentity(keeper);

  await eventually(async () => {
    expect(await livenessOf(recordOf(root, id).keeper)).toBe('alive');
    expect(recordOf(root, id).keeper).not.toEqual(keeper);
  });
  await killIdentity(process ?? keeper);
  await eventually(async () => {
    expect(await livenessOf(child)).toBe('dead');
  });
});
