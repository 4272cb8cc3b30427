import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import { endKeepersOf } from '../support/endKeepersOf';
import { killIdentity } from '../support/keptWorker';
import { eventually } from '../support/keeperRig';
import { tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';
import { started, workersDirOf } from '../support/workersProject';

/** A stop that was asked for while nobody leads for long, and whose keeper dies before it is over. */
const TYPES = {
  quick: { description: 'ends at once', command: ['node', '-e', '0'] },
  deaf: { description: 'hears no flag', isolation: 'audit', command: ['sleep', '1000'], graceSeconds: 2 },
};

function recordOf(root: string, id: string): KeeperRecord {
  const record = readKeeperRecord(readFileSync(join(workersDirOf(root), id, 'keeper.json'), 'utf8'));
  if (record === null) {
    throw new Error('keeper.json cannot be read');
  }
  return record;
}

/** A deaf worker that was asked to stop by a command that is over, before its keeper was killed; and the next command. */
async function stopLeft(): Promise<{ readonly root: string; readonly terminal: HostApi; readonly id: string }> {
  const root = await tempProject({ '.vscode/workers.json': JSON.stringify({ version: 1, types: TYPES }) });
  onTestFinished(async () => endKeepersOf(root));
  const first = await openTestHost(root, { surface: 'cli' });
  const id = await started(first, 'deaf');
  expect(await first.stop({ worker: id, force: false, requestedBy: 'cli' })).toMatchObject({ ok: true });
  await first.shutdown();
  await killIdentity(recordOf(root, id).keeper);
  expect(existsSync(join(workersDirOf(root), id, 'stop-requested'))).toBe(true);
  return { root, terminal: await openTestHost(root, { surface: 'cli' }), id };
}

test('a plain stop carries on a stop whose keeper died, without force', async () => {
  const { terminal, id } = await stopLeft();
  expect(await terminal.stop({ worker: id, force: false, requestedBy: 'cli' })).toMatchObject({ ok: true });
  const ended = await terminal.waitForEnd(id, AbortSignal.timeout(30_000));
  expect(ended).toMatchObject({ state: 'stopped', stop: { requestedBy: 'cli', finished: true } });
});

test('whoever leads for another command carries it on; a look does not', async () => {
  const { root, terminal, id } = await stopLeft();
  const { keeper } = recordOf(root, id);
  expect((await terminal.refresh()).workers).toMatchObject([{ workerId: id, state: 'stopping' }]);
  expect(recordOf(root, id).keeper).toEqual(keeper);
  await started(terminal, 'quick');
  expect(recordOf(root, id).keeper).not.toEqual(keeper);
  await eventually(async () => {
    const { workers } = await terminal.look();
    expect(workers[0]).toMatchObject({ state: 'stopped', stop: { requestedBy: 'cli', finished: true } });
  });
});
