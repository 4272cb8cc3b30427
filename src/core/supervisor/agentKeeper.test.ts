import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manualClock';
import { aKeeper, anExit, aProcess, isoAfter } from '../../../test/support/workerFacts';
import { toDisposable } from '../base/disposable';
import { Emitter } from '../base/emitter';
import { silentLogger } from '../base/logger';
import { ok } from '../base/result';
import type { ExitRecord } from '../protocol/keeper/exitRecord';
import type { KeeperSpec } from '../protocol/keeper/keeperSpec';
import type { KeeperFacts } from '../protocol/workerFacts';
import { AgentKeeper } from './agentKeeper';
import type { AgentKeeperClient } from './keeperClient';
import type { AgentKeeperDeps } from './agentKeeperDeps';
import { agentPolicy } from './agentPolicy';

const policy = agentPolicy({
  maxRestarts: 3,
  backoffSeconds: [5],
  resetAfterMinutes: null,
  connectMs: 40_000,
  graceMs: 30_000,
  termGraceMs: 5_000,
});
const first = anExit({ code: 1, class: 'crash', at: isoAfter(30) });
const second = anExit({ code: 1, class: 'crash', at: isoAfter(50) });

/** What the keepers of one agent tell, run after run: their record, what they answer, and the ends that they tell. */
class ScriptedKeepers {
  facts: KeeperFacts | null = null;
  /** What a `beat` says of the end. */
  told: ExitRecord | null = null;
  launches = 0;
  /** What a blown fuse of the project makes false. */
  mayStart = true;
  readonly #exits = new Emitter<ExitRecord>(() => undefined);
  readonly #closed = new Emitter<null>(() => undefined);

  connect(): AgentKeeperClient {
    const mail = { mailbox: { connectedAt: null }, handed: [], acked: [], waiting: [] };
    const answers: Readonly<Record<string, () => unknown>> = {
      attach: () => mail,
      beat: () => ({ process: aProcess, outputBytes: 0, lastOutputAt: null, stop: null, exit: this.told }),
    };
    return {
      request: async (method: string) => Promise.resolve(answers[method]?.() ?? null),
      on: (event: string, listener: (params: never) => void) =>
        event === 'exit' ? this.#exits.event(listener as (exit: ExitRecord) => void) : toDisposable(() => undefined),
      onClose: (listener: () => void) => this.#closed.event(listener),
      dispose: () => undefined,
    } as AgentKeeperClient;
  }

  tell(exit: ExitRecord): void {
    this.#exits.fire(exit);
  }

  hangUp(): void {
    this.#closed.fire(null);
  }
}

function setUp(): { clock: ManualClock; keepers: ScriptedKeepers; agent: AgentKeeper; ends: ExitRecord[] } {
  const clock = new ManualClock();
  const keepers = new ScriptedKeepers();
  const ends: ExitRecord[] = [];
  const ignored = (): void => undefined;
  const deps: AgentKeeperDeps = {
    clock,
    logger: silentLogger,
    launch: async () => {
      keepers.launches += 1;
      return Promise.resolve({ ready: true, endpoint: '/nowhere/keeper.sock', process: aProcess });
    },
    connect: async () => Promise.resolve(keepers.connect()),
    look: async () => Promise.resolve(keepers.facts),
    mayStart: async () => Promise.resolve(keepers.mayStart),
    planLaunch: async () => Promise.resolve(ok({ spec: { nonce: 'aa' } as KeeperSpec, policy })),
    takeOverSpec: async () => Promise.reject(new Error('There is nothing to take over.')),
    taken: () => 0,
    listener: {
      moved: async (_agent, { happening }) => {
        ends.push(...(happening.kind === 'exited' ? [happening.exit] : []));
        return Promise.resolve();
      },
      attached: ignored,
      detached: ignored,
      accepted: ignored,
      handed: ignored,
      acked: ignored,
      unfit: ignored,
      connection: ignored,
    },
  };
  const state = { kind: 'stopped', exit: null, wish: null } as const;
  const agent = new AgentKeeper('developer', { state, policy, epoch: 1 }, deps);
  onTestFinished(() => {
    agent.dispose();
  });
  return { clock, keepers, agent, ends };
}

describe('the end of an agent, heard again while the next run starts', () => {
  /** Crashed once, and its restart has just been launched. */
  async function restarting(): Promise<ReturnType<typeof setUp>> {
    const one = setUp();
    const { keepers, agent, clock } = one;
    await agent.start();
    keepers.tell(first);
    await agent.idle();
    expect(agent.state).toMatchObject({ kind: 'backoff', restarts: { used: 1 } });
    keepers.told = first;
    clock.advance(5_000);
    await agent.idle();
    expect(keepers.launches).toBe(2);
    return one;
  }

  it('costs no restart and leaves the new run alone, whether the new keeper answers with it or tells it', async () => {
    const { agent, keepers, ends } = await restarting();
    expect(agent.state).toMatchObject({ kind: 'starting', restarts: { used: 1 } });
    keepers.tell(first);
    await agent.idle();
    expect(agent.state).toMatchObject({ kind: 'starting', restarts: { used: 1 } });
    expect(ends).toEqual([first]);
  });

  it('is no news from the record either, when the line to the new keeper breaks', async () => {
    const { agent, keepers, clock, ends } = await restarting();
    keepers.facts = aKeeper({ exit: first, keeper: 'dead', process: 'dead' });
    keepers.hangUp();
    await agent.idle();
    await agent.catchUp();
    clock.advance(1_000);
    await agent.idle();
    expect(agent.state).toMatchObject({ kind: 'starting', restarts: { used: 1 } });
    expect(ends).toEqual([first]);
  });

  it('does not hide the end of the new run, which is told once and looks the same but for its time', async () => {
    const { agent, keepers, ends } = await restarting();
    keepers.tell(second);
    keepers.tell(second);
    await vi.waitFor(() => {
      expect(agent.state).toMatchObject({ kind: 'backoff', restarts: { used: 2 } });
    });
    await agent.idle();
    expect(ends).toEqual([first, second]);
  });
});

/** An agent whose restart is due while nothing may be started. */
async function dueAndHeldUp(): Promise<ReturnType<typeof setUp>> {
  const parts = setUp();
  const { agent, keepers, clock } = parts;
  await agent.start();
  keepers.tell(first);
  await agent.idle();
  keepers.mayStart = false;
  clock.advance(5_000);
  await agent.idle();
  return parts;
}

describe('a restart that is due while nothing may be started', () => {
  it('stays due, costs nothing, and is made once it may be', async () => {
    const { agent, keepers, clock } = await dueAndHeldUp();
    expect(agent.state).toMatchObject({ kind: 'backoff', restarts: { used: 1 } });
    expect(keepers.launches).toBe(1);
    keepers.mayStart = true;
    clock.advance(15_000);
    await agent.idle();
    expect(agent.state).toMatchObject({ kind: 'starting', restarts: { used: 1 } });
    expect(keepers.launches).toBe(2);
  });

  it('does not come back once the agent was stopped', async () => {
    const { agent, keepers, clock } = await dueAndHeldUp();
    await agent.stop('vscode', false);
    keepers.mayStart = true;
    clock.advance(60_000);
    await agent.idle();
    expect(agent.state).toMatchObject({ kind: 'stopped' });
    expect(keepers.launches).toBe(1);
  });
});
