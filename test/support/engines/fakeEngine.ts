import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { HostApi } from '../../../src/core/host/api';
import type { Clock } from '../../../src/core/base/clock';
import { endKeepersOf } from '../endKeepersOf';
import { type CliRun, startCli } from '../runCli';
import { addFiles, tempProject } from '../tempProject';
import { openTestHost } from '../testHost';
import { fakeProgram } from './fakeProgram';

/** A project whose `claude` is a program of ours. */
export interface FakeEngineProject {
  readonly root: string;
  readonly run: (...args: readonly string[]) => Promise<CliRun>;
  readonly open: (clock?: Clock) => Promise<HostApi>;
}

/** Makes one whose program does as `plan` says, which is JavaScript; `config` is added to its workers.json. */
export async function fakeEngineProject(
  plan: string,
  { defaults = {}, ...config }: Readonly<Record<string, unknown>> & { readonly defaults?: object } = {},
): Promise<FakeEngineProject> {
  const home = await tempProject({ claude: fakeProgram(plan), 'tmp/x': '' }, 'home');
  await chmod(join(home, 'claude'), 0o755);
  const root = await tempProject();
  await addFiles(root, {
    '.vscode/workers.json': JSON.stringify({ version: 1, defaults: { isolation: 'audit', ...defaults }, ...config }),
  });
  onTestFinished(async () => endKeepersOf(root));
  const engines = { claude: { program: join(home, 'claude') } };
  const PATH = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const env = { PATH, HOME: home, TMPDIR: join(home, 'tmp'), ANTHROPIC_API_KEY: 'sk-dummy' };
  return {
    root,
    run: async (...args) =>
      await startCli(root, args, { env: { ...env, ROLLCALL_ENGINES: JSON.stringify(engines) } }).ended,
    open: async (clock) =>
      await openTestHost(root, { env, engines: () => engines, ...(clock === undefined ? {} : { clock }) }),
  };
}
