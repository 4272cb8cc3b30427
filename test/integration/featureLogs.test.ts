import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { RunLogChunk } from '../../src/core/host/followRunLog';
import { openTestHost } from '../support/testHost';
import { tempProject } from '../support/tempProject';
import { waitUntil } from '../support/vscode/waitUntil';

const EVENTS = '.zerg/logs/workers/worker-0.jsonl';
const STDOUT = '.zerg/logs/worker-0.stdout.log';

interface Followed {
  readonly root: string;
  readonly told: readonly RunLogChunk[];
  /** Waits until a piece of this file holds the text. */
  readonly until: (file: string, text: string) => Promise<RunLogChunk>;
}

/** Follows the logs of worker 0 of a project with these files until the test ends. */
async function followed(files: Readonly<Record<string, string>>, prepare?: (root: string) => void): Promise<Followed> {
  const root = await tempProject(files);
  mkdirSync(join(root, '.zerg', 'logs', 'workers'), { recursive: true });
  prepare?.(root);
  const host = await openTestHost(root);
  const told: RunLogChunk[] = [];
  const following = host.followRunLog({ feature: 'auth', worker: 0 }, 4_096, (chunk) => told.push(chunk));
  onTestFinished(() => {
    following.dispose();
  });
  const until = async (file: string, text: string): Promise<RunLogChunk> =>
    await waitUntil(`${text} in ${file}`, () =>
      told.find((chunk) => chunk.file === join(root, file) && chunk.text.includes(text)),
    );
  return { root, told, until };
}

it('begins with the end of the event log before the last turn, and goes on over the next one', async () => {
  const { root, told, until } = await followed({ [`${EVENTS}.1`]: '{"n":1}\n', [EVENTS]: '{"n":2}\n' });
  await until(EVENTS, '"n":2');
  expect(told.map(({ text }) => text)).toEqual(['{"n":1}\n', '{"n":2}\n']);
  appendFileSync(join(root, EVENTS), '{"n":3}\n');
  renameSync(join(root, EVENTS), join(root, `${EVENTS}.1`));
  writeFileSync(join(root, EVENTS), '{"n":4}\n');
  await until(EVENTS, '"n":3');
  expect(await until(EVENTS, '"n":4')).toMatchObject({ kind: 'events', reset: true });
});

it('waits for logs that come later, and says where one was cut', async () => {
  const { root, until } = await followed({});
  writeFileSync(join(root, STDOUT), 'one\ntwo\n');
  expect(await until(STDOUT, 'two')).toMatchObject({ kind: 'stdout', reset: false });
  truncateSync(join(root, STDOUT), 0);
  writeFileSync(join(root, STDOUT), 'new\n');
  expect(await until(STDOUT, 'new')).toMatchObject({ reset: true });
});

it('follows no link', async () => {
  const { told, until } = await followed({ secret: 'secret\n', [EVENTS]: '{"n":1}\n' }, (root) => {
    symlinkSync(join(root, 'secret'), join(root, STDOUT));
  });
  await until(EVENTS, '"n":1');
  expect(told).toHaveLength(1);
});

it('is not held up by pipes, more of which than this process has threads to wait with', async () => {
  for (let project = 0; project < 2; project += 1) {
    const { told, until } = await followed({ [EVENTS]: '{"n":1}\n' }, (root) => {
      for (const name of ['worker-0.stdout.log', 'worker-0.stderr.log', 'worker-0.log']) {
        execFileSync('mkfifo', [join(root, '.zerg', 'logs', name)]);
      }
    });
    await until(EVENTS, '"n":1');
    expect(told).toHaveLength(1);
  }
});
