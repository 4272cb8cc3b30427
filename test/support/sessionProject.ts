import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { HostApi, Outcome, SessionAccepted } from '../../src/core/host/api';
import { readEventLine, type EventLine } from '../../src/core/protocol/events/eventLine';
import type { AgentSnapshot, SessionSnapshot } from '../../src/core/protocol/actors/sessionSnapshot';
import type { FleetSnapshot } from '../../src/core/protocol/snapshot';
import { endKeepersOf } from './endKeepersOf';
import { tempProject } from './tempProject';
import { untilSnapshot } from './testHost';

const rawAgent = fileURLToPath(new URL('../fixtures/agents/rawAgent.mjs', import.meta.url));

/** The command of an agent that does what its tasks tell it, on one of the two wires. */
export function rawAgentCommand(wire: 'private' | 'compatible' = 'private', first = ''): readonly string[] {
  return [process.execPath, rawAgent, wire, ...(first === '' ? [] : [first])];
}

/** A project with these agents, and an environment whose pipe names are its own. All is ended behind the test. */
export async function sessionProject(
  agents: Readonly<Record<string, object>>,
  session: object = { compatiblePipeNames: false },
): Promise<{ readonly root: string; readonly env: NodeJS.ProcessEnv }> {
  const root = await tempProject({ '.vscode/workers.json': JSON.stringify({ version: 1, agents, session }) });
  // The path of a socket is limited.
  const temp = mkdtempSync(join(tmpdir(), 'rc-'));
  onTestFinished(async () => {
    await endKeepersOf(root);
    rmSync(temp, { recursive: true, force: true });
  });
  return { root, env: { ...process.env, TMPDIR: temp } };
}

/** The lines of the session's log that are there now. */
export function logOf(root: string): readonly EventLine[] {
  const path = join(root, '.claude', 'session', 'eventlog.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text.split('\n').flatMap((line) => readEventLine(line) ?? []);
}

/** What an agent noted of its life, in order. */
export function heardBy(root: string, agent: string, kind = 'message'): readonly Heard[] {
  const path = join(root, `${agent}.heard.jsonl`);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Heard).filter((line) => line.kind === kind);
}

export interface Heard {
  readonly pid: number;
  readonly kind: string;
  readonly value: {
    readonly id: string;
    readonly seq: number | null;
    readonly type: string;
    readonly from: string;
    readonly payload: Readonly<Record<string, unknown>>;
    readonly redelivered: boolean;
  };
}

/** Resolves with the first session that fulfils `wanted`; the host must be watching. */
export async function untilSession(
  host: HostApi,
  wanted: (session: SessionSnapshot) => boolean,
): Promise<SessionSnapshot> {
  const { session } = await untilSnapshot(host, (snapshot) => snapshot.session !== null && wanted(snapshot.session));
  if (session === null) {
    throw new Error('there is no session');
  }
  return session;
}

/** The agent of that name, which must be there. */
export function agentIn({ session }: Pick<FleetSnapshot, 'session'>, name: string): AgentSnapshot {
  const agent = session?.agents.find((one) => one.name === name);
  if (agent === undefined) {
    throw new Error(`no agent ${name} is shown`);
  }
  return agent;
}

/** The value of an outcome that must be good. */
export function good(outcome: Outcome<SessionAccepted>): SessionAccepted {
  if (!outcome.ok) {
    throw new Error(outcome.error.message);
  }
  return outcome.value;
}
