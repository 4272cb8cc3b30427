import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { LogFollower } from '../../eventlog/logFollower';
import { sessionLogIn } from '../../eventlog/sessionLog';
import { agentPathsIn, resolveSessionDir, type SessionPaths } from '../../mailbox/sessionPaths';
import { isAgentName, isReservedName } from '../../protocol/actors/agentName';
import {
  ENGINE_AGENT_BYTES,
  type EngineAgentRecord,
  engineAgentFile,
  readEngineAgent,
} from '../../protocol/actors/engineAgentRecord';
import { inboxItems } from '../../protocol/actors/inboxItems';
import type { AgentMoment, SessionMoment } from '../../protocol/actors/sessionMoment';
import { emptySession } from '../../protocol/actors/sessionMoment';
import type { AgentSnapshot, InboxItem, SessionSnapshot } from '../../protocol/actors/sessionSnapshot';
import type { WorkersConfig } from '../../protocol/config/configModel';
import type { KeeperFacts } from '../../protocol/workerFacts';
import { fullDiskText } from '../../protocol/actors/sessionTexts';
import { readKeeper } from '../../readers/keeperFile';
import { readBounded } from '../../system/boundedRead';
import { freeSpace } from '../../system/freeSpace';
import { agentSnapshot } from './agentSnapshot';

/** A session as a look finds it. */
export interface SessionLook {
  readonly snapshot: SessionSnapshot;
  /** What grows with everything that happens, absolute; null while nothing has. */
  readonly logFile: string | null;
}

/** A message has at most 1 MiB, and stands in two spools and the log; with less than this free, bytes, one may not fit. */
const FULL_BYTES = 4 * 1024 * 1024;

interface Open {
  readonly paths: SessionPaths;
  readonly follower: LogFollower<SessionMoment>;
}

/**
 * Builds the snapshot of a session from its files alone, in every process alike (lifecycle §6). Each look folds only the
 * lines that are new. Writes nothing.
 */
export class SessionReader {
  readonly #root: string;
  #open: Open | null = null;
  /** The records of agents that have ended, which change no more; by name, with the newest event that named them. */
  readonly #ended = new Map<string, { readonly lastEvent: number; readonly records: AgentRecords }>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Null where no agents are configured and there is no session folder. `now` is epoch milliseconds. */
  async read(config: WorkersConfig, now: number): Promise<SessionLook | null> {
    const exists = (await lstat(join(this.#root, config.session.dir)).catch(() => null)) !== null;
    if (!exists && config.agents.length === 0) {
      return null;
    }
    const paths = await resolveSessionDir(this.#root, config.session.dir);
    if (!paths.ok) {
      return { snapshot: { ...emptyLook(config), problems: [paths.error] }, logFile: null };
    }
    const moment = exists ? await this.#follow(paths.value) : emptySession();
    const snapshot = await this.#snapshot(moment, { config, paths: paths.value, now });
    return { snapshot, logFile: moment.seq === 0 ? null : sessionLogIn(paths.value.folder).current };
  }

  async #follow(paths: SessionPaths): Promise<SessionMoment> {
    if (this.#open?.paths.folder !== paths.folder) {
      this.#open = { paths, follower: new LogFollower(sessionLogIn(paths.folder)) };
    }
    return await this.#open.follower.look();
  }

  async #snapshot(moment: SessionMoment, look: LookContext): Promise<SessionSnapshot> {
    const { config } = look;
    const names = namesOf(config, moment);
    const inbox = inboxItems(moment, look.now);
    const records = new Map<string, AgentRecords>();
    for (const name of names) {
      records.set(name, await this.#recordsOf(name, moment.agents.get(name), look));
    }
    const agents = names.flatMap((name) => shown(name, { moment, inbox, records, ...look }));
    const running = moment.session !== null && moment.session.stoppedAt === null;
    return {
      mode: moment.session?.mode ?? config.session.mode,
      running,
      startedAt: moment.session === null ? null : Date.parse(moment.session.startedAt),
      agents,
      inbox,
      turn: turnOf(moment),
      problems: [...pipeProblems(records), ...(running ? await diskProblems(look.paths.folder) : [])],
    };
  }

  async #recordsOf(name: string, agent: AgentMoment | undefined, look: LookContext): Promise<AgentRecords> {
    const folder = agentPathsIn(look.paths, name)?.folder;
    if (agent === undefined || folder === undefined) {
      return noRecords;
    }
    const known = this.#ended.get(name);
    if (known?.lastEvent === agent.lastEvent) {
      return known.records;
    }
    const { facts: keeper } = await readKeeper(folder);
    const records = { keeper, engine: await engineOf(name, folder, look.config) };
    if (agent.state === 'completed' || agent.state === 'failed' || agent.state === 'stopped') {
      this.#ended.set(name, { lastEvent: agent.lastEvent, records });
    }
    return records;
  }
}

/** What an agent's folder tells. */
interface AgentRecords {
  readonly keeper: KeeperFacts | null;
  readonly engine: EngineAgentRecord | null;
}

const noRecords: AgentRecords = { keeper: null, engine: null };

/** Of an agent with a command that has no calls there is nothing to read. */
async function engineOf(name: string, folder: string, { agents }: WorkersConfig): Promise<EngineAgentRecord | null> {
  const config = agents.find((agent) => agent.name === name);
  if (config === undefined || (config.command !== null && config.callEngine === null)) {
    return null;
  }
  const file = await readBounded(join(folder, engineAgentFile), ENGINE_AGENT_BYTES);
  return file.kind === 'ok' ? readEngineAgent(file.text) : null;
}

interface LookContext {
  readonly config: WorkersConfig;
  readonly paths: SessionPaths;
  readonly now: number;
}

interface ShownContext extends LookContext {
  readonly moment: SessionMoment;
  readonly inbox: readonly InboxItem[];
  readonly records: ReadonlyMap<string, AgentRecords>;
}

function shown(name: string, { config, moment, inbox, records, paths, now }: ShownContext): readonly AgentSnapshot[] {
  const own = agentPathsIn(paths, name);
  if (own === null) {
    return [];
  }
  return [
    agentSnapshot({
      name,
      config: config.agents.find((agent) => agent.name === name) ?? null,
      moment,
      ...(records.get(name) ?? noRecords),
      inbox: inbox.filter(({ agent }) => agent === name),
      paths: own,
      now,
    }),
  ];
}

/** In the order of the file, then those that only the log knows. */
function namesOf({ agents }: WorkersConfig, moment: SessionMoment): readonly string[] {
  const known = [...moment.agents].filter(([, { state }]) => state !== null).map(([name]) => name);
  return [...new Set([...agents.map(({ name }) => name), ...known])].filter(
    (name) => isAgentName(name) && !isReservedName(name),
  );
}

/** A compatible pipe that somebody else holds, or that cannot be made: agents of other makers do not find us there. */
function pipeProblems(records: ReadonlyMap<string, AgentRecords>): readonly string[] {
  return [...records.values()].flatMap(({ keeper }) => {
    const trouble = keeper?.keeper === 'alive' ? keeper.record.mailbox?.compatible?.trouble : null;
    return typeof trouble === 'string' ? [trouble] : [];
  });
}

/** What is derived from files cannot tell of a disk that takes no file any more. */
async function diskProblems(folder: string): Promise<readonly string[]> {
  const free = await freeSpace(folder);
  return free !== null && free < FULL_BYTES ? [fullDiskText(folder)] : [];
}

function turnOf({ turn }: SessionMoment): SessionSnapshot['turn'] {
  if (turn === null) {
    return null;
  }
  const { agent, iteration, maxIterations, status } = turn;
  return { agent, iteration, maxIterations, status };
}

function emptyLook({ session }: WorkersConfig): SessionSnapshot {
  return { mode: session.mode, running: false, startedAt: null, agents: [], inbox: [], turn: null, problems: [] };
}
