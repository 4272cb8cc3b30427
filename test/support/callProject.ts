import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostApi } from '../../src/core/host/api';
import { isRecord } from '../../src/core/protocol/events/jsonGuards';
import type { KeeperRecord } from '../../src/core/protocol/keeper/keeperRecord';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { ProcessTree } from '../../src/core/system/processTree';
import { treeMarker } from '../../src/keeper/treeMarker';
import { eventually } from './keeperRig';
import { good, logOf, rawAgentCommand, sessionProject } from './sessionProject';

const program = fileURLToPath(new URL('../fixtures/engines/callClaude.sh', import.meta.url));

/** A project whose agents have a scripted program run by the supervisor. */
export interface CallProject {
  readonly root: string;
  readonly session: string;
  readonly env: NodeJS.ProcessEnv;
  /** The person's settings of engines: claude is the scripted program. */
  readonly engines: Readonly<Record<string, unknown>>;
}

/** The scripted program as the person's engine, for the options of a host and for the environment of a terminal. */
export const scriptedEngines = { claude: { program } };

/** Agents `a` and `b` are on our wire, and have the engine claude for their calls. */
export async function callProject(agents: Readonly<Record<string, object>> = {}): Promise<CallProject> {
  const worker = { command: rawAgentCommand(), engine: 'claude', restart: { backoffSeconds: [600] }, graceSeconds: 2 };
  const { root, env } = await sessionProject({ a: worker, b: worker, ...agents });
  const session = join(root, '.claude', 'session');
  mkdirSync(session, { recursive: true });
  const engines = scriptedEngines;
  return { root, session, env: { ...env, ROLLCALL_ENGINES: JSON.stringify(engines) }, engines };
}

/** Has the agent send a call with this prompt; its answer goes to `<name>.out`. */
export async function call(
  host: HostApi,
  { session }: CallProject,
  name: string,
  prompt: string,
  agent = 'a',
): Promise<void> {
  writeFileSync(join(session, `${name}.in`), prompt);
  await act(host, agent, `call:.claude/session/${name}.in:.claude/session/${name}.out`);
}

/** Has the agent do these steps. */
export async function act(host: HostApi, agent: string, ...steps: readonly string[]): Promise<void> {
  const payload = { taskId: 't1', do: steps };
  good(await host.session.send({ requestedBy: 'cli', to: agent, type: 'WorkAssign', payload }));
}

/** What the program was asked so far, one text per run. */
export function runsIn(root: string): readonly string[] {
  const path = join(root, 'runs');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  return lines.map((line) => line.slice(line.indexOf(' ') + 1));
}

interface Complete {
  readonly to: unknown;
  readonly inReplyTo: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The answers to calls that the log has, in order. */
export function completesIn(root: string): readonly Complete[] {
  return logOf(root).flatMap(({ type, data }) => {
    const message = type === 'MessageSent' && isRecord(data['message']) ? data['message'] : {};
    const { type: word, to, inReplyTo, payload } = message;
    return word === 'CLIComplete' && isRecord(payload) ? [{ to, inReplyTo, payload }] : [];
  });
}

/** Waits for so many answers, and gives their payloads. */
export async function untilCompletes(root: string, count: number): Promise<readonly Complete['payload'][]> {
  await eventually(async () => {
    if (completesIn(root).length < count) {
      throw new Error(`${String(completesIn(root).length)} of ${String(count)} answers`);
    }
    return Promise.resolve();
  });
  return completesIn(root).map(({ payload }) => payload);
}

/** Waits until the program was asked so often. */
export async function untilRuns(root: string, count: number): Promise<void> {
  await eventually(async () => {
    if (runsIn(root).length < count) {
      throw new Error(`${String(runsIn(root).length)} of ${String(count)} runs`);
    }
    return Promise.resolve();
  });
}

/** The records of the keepers of the agent's calls. */
export function callKeepersOf({ session }: CallProject, agent = 'a'): readonly KeeperRecord[] {
  const dir = join(session, 'keepers', agent, 'calls');
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.flatMap((name) => readKeeperRecord(readFileSync(join(dir, name, 'keeper.json'), 'utf8')) ?? []);
}

/** The processes of the agent's calls. */
export async function processesOfCalls(project: CallProject, agent = 'a'): Promise<readonly number[]> {
  const found = await Promise.all(
    callKeepersOf(project, agent).map(async ({ process, workerId }) => {
      const folder = join(project.session, 'keepers', agent, 'calls', workerId);
      return process === null ? [] : await new ProcessTree(process, treeMarker(workerId, folder)).collect();
    }),
  );
  return found.flat().map(({ pid }) => pid);
}
