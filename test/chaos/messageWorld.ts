import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostApi } from '../../src/core/host/api';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { openWindowHost } from '../support/openWindowHost';
import { type AgentBook, readBook } from './agentBook';
import { BookTally } from './bookTally';
import { endMarked, markedProcesses, signal } from './chaosProcesses';
import type { MessageKill, MessagePlan } from './messagePlan';

const MARK_NAME = 'LC_ROLLCALL_CHAOS';
const WINDOWS = 2;

export interface MessagePrograms {
  /** The folder that `bundleChaosPrograms` filled. */
  readonly programs: string;
  /** test/fixtures/agents */
  readonly agents: string;
}

/** A project with windows, keepers and talking agents, all of them real. */
export class MessageWorld {
  readonly #tallies: readonly BookTally[];
  readonly #programs: MessagePrograms;
  readonly #parent: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #windows = new Set<ChildProcess>();
  readonly mark: string;
  readonly root: string;
  readonly sessionDir: string;
  readonly #observer: HostApi;

  private constructor(plan: MessagePlan, programs: MessagePrograms, observer: HostApi, parent: string) {
    this.#programs = programs;
    this.#parent = parent;
    this.#observer = observer;
    this.root = observer.root;
    this.sessionDir = join(this.root, '.claude', 'session');
    this.#env = envOf(parent);
    const names = [...plan.agents, ...plan.oldAgents];
    this.#tallies = names.map((name) => new BookTally(join(parent, 'books', name)));
    this.mark = `${MARK_NAME}=${String(this.#env[MARK_NAME])}`;
  }

  static async open(plan: MessagePlan, programs: MessagePrograms): Promise<MessageWorld> {
    // Short: the sockets of existing agents lie in it.
    const parent = await realpath(await mkdtemp(join(tmpdir(), 'rc-talk-')));
    const root = join(parent, 'project');
    for (const folder of [join(root, '.vscode'), join(root, '.keysarium', 'workers'), join(parent, 'books')]) {
      mkdirSync(folder, { recursive: true });
    }
    writeFileSync(join(root, '.vscode', 'workers.json'), workersJson(plan, programs, join(parent, 'books')));
    const observer = await openWindowHost(root, { distDir: join(programs.programs, 'dist'), env: envOf(parent) });
    return new MessageWorld(plan, programs, observer, parent);
  }

  /** Resolves once a window leads. */
  async openWindows(): Promise<void> {
    for (let count = this.#windows.size; count < WINDOWS; count += 1) {
      const { programs } = this.#programs;
      const window = spawn(process.execPath, [join(programs, 'leader.js'), this.root, join(programs, 'dist')], {
        env: this.#env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      this.#windows.add(window);
      window.once('close', () => {
        this.#windows.delete(window);
      });
      await Promise.race([once(window.stdout, 'data'), once(window, 'close')]);
    }
  }

  /** Has the session begin, by whoever leads. */
  async begin(): Promise<void> {
    const started = await this.#observer.session.start({ requestedBy: 'cli' });
    if (!started.ok) {
      throw new Error(started.error.message);
    }
  }

  /** Asks for the end of the session; what is not over by then goes on. */
  async stop(): Promise<string | null> {
    const stopped = await this.#observer.session.stop({ requestedBy: 'cli', force: false });
    return stopped.ok || stopped.error.code === 'wrong-state' ? null : stopped.error.message;
  }

  /** Kills all of them in one go, as the kernel does it; gives whom. */
  async kill({ whom, agent }: MessageKill): Promise<readonly string[]> {
    const { leader } = await this.#observer.look();
    const record = this.#recordOf(agent);
    const pids = { leader: leader?.pid, keeper: record?.keeper.pid, agent: record?.process?.pid };
    const alive = new Set(markedProcesses(this.mark).map(({ pid }) => pid));
    const victims = whom.filter((one) => alive.has(pids[one] ?? -1));
    for (const victim of victims) {
      signal(pids[victim] ?? -1, 'SIGKILL');
    }
    return victims;
  }

  bookOf(agent: string): AgentBook {
    return readBook(join(this.#parent, 'books'), agent);
  }

  /** How many messages the agents were told to be safe, and how many were begun. */
  count(): { readonly safe: number; readonly got: number } {
    const tallies = this.#tallies.map((tally) => tally.look());
    const sumOf = (word: string): number => tallies.reduce((sum, tally) => sum + (tally.get(word) ?? 0), 0);
    return { safe: sumOf('safe'), got: sumOf('got') };
  }

  /** The number that an agent's own runtime keeps of the newest message that it began. */
  cursorOf(agent: string): number {
    const path = join(this.sessionDir, 'keepers', agent, 'cursor');
    return existsSync(path) ? Number(readFileSync(path, 'latin1')) : 0;
  }

  /** All processes but the windows. */
  others(): readonly string[] {
    const windows = new Set([...this.#windows].map(({ pid }) => pid));
    return markedProcesses(this.mark)
      .filter(({ pid }) => !windows.has(pid))
      .map(({ pid, command }) => `${String(pid)}: ${command}`);
  }

  /** Ends everything and removes everything, whatever state it is in. */
  async close(): Promise<void> {
    await this.#observer.shutdown();
    await endMarked(this.mark);
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 5 });
  }

  #recordOf(agent: string): ReturnType<typeof readKeeperRecord> {
    const path = join(this.sessionDir, 'keepers', agent, 'keeper.json');
    return existsSync(path) ? readKeeperRecord(readFileSync(path, 'utf8')) : null;
  }
}

function envOf(parent: string): NodeJS.ProcessEnv {
  return { ...process.env, TMPDIR: parent, [MARK_NAME]: parent.replace(/\W/g, '') };
}

function workersJson(plan: MessagePlan, { programs, agents }: MessagePrograms, books: string): string {
  const names = [...plan.agents, ...plan.oldAgents];
  const count = String(plan.messagesEach);
  const runtime = join(programs, 'dist', 'agent.mjs');
  const commandOf = (name: string): readonly string[] => {
    const others = names.filter((other) => other !== name).join(',');
    return plan.oldAgents.includes(name)
      ? [process.execPath, join(agents, 'oldTalker.mjs'), books, count, others]
      : [process.execPath, join(agents, 'talker.mjs'), runtime, books, count, others, plan.oldAgents.join(',')];
  };
  const configs = names.map((name) => [
    name,
    {
      command: commandOf(name),
      start: 'session',
      restart: { max: 100, backoffSeconds: [0.2] },
      graceSeconds: 10,
    },
  ]);
  return JSON.stringify({ version: 1, agents: Object.fromEntries(configs) });
}
