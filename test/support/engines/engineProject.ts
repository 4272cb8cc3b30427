import { mkdirSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import { endKeepersOf } from '../endKeepersOf';
import type { ModelScript } from '../modelServer/modelAnswer';
import type { ModelServer } from '../modelServer/modelServer';
import { tempProject } from '../tempProject';
import { engineEndpoint } from './engineEndpoint';
import type { RealEngineName } from './installEngines';

export interface EngineProjectOptions {
  readonly name: RealEngineName;
  /** The folder of the real programs. */
  readonly bin: string;
  readonly server: ModelServer;
  /** What the model does; in its own scenario, so that its requests can be told from those of others. */
  readonly script: ModelScript;
  readonly isolation?: 'audit' | 'sandbox' | 'worktree';
}

/** A project whose workers are done by a real program, which asks a scripted model. */
export interface EngineProject {
  readonly root: string;
  readonly home: string;
  readonly scenario: string;
  /** The person's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The person's settings of engines. */
  readonly engines: Readonly<Record<string, unknown>>;
}

/** The person's key: it must never stand in a file. */
export const dummyKey = 'sk-dummy-key-0123456789abcdef';

let projects = 0;

/** Makes one with a home folder of its own; what it started is ended behind the test. */
export async function engineProject(options: EngineProjectOptions): Promise<EngineProject> {
  const { name, bin, server, script, isolation = 'audit' } = options;
  projects += 1;
  const scenario = `project ${String(projects)}`;
  server.script(scenario, script);
  const home = await tempProject({}, 'home');
  mkdirSync(`${home}/tmp`);
  const { own, configured, settings } = engineEndpoint(name, server.urlOf(encodeURIComponent(scenario)), dummyKey);
  const defaults = { isolation, engine: name, env: configured };
  const root = await tempProject({
    '.vscode/workers.json': JSON.stringify({ version: 1, defaults }),
    'researches/one/README.md': '# One\n',
  });
  onTestFinished(async () => endKeepersOf(root));
  const path = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const engines = { answerMinutes: 5, [name]: settings };
  return { root, home, scenario, env: { PATH: path, HOME: home, TMPDIR: `${home}/tmp`, ...own }, engines };
}

/** The environment of a terminal of that person. */
export function terminalEnv({ env, engines }: EngineProject): Record<string, string> {
  return { ...env, ROLLCALL_ENGINES: JSON.stringify(engines) };
}

/** The id of the worker whose task a request holds. */
export function workerIdIn(server: ModelServer): string {
  const body = JSON.stringify(server.requests.at(-1)?.body ?? {});
  return /wkr-\d{8}-\d{6}-[a-z]+(?:-[a-z]+)*/.exec(body)?.[0] ?? 'none';
}
