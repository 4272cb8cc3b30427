import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import { activeCount } from '../core/presenter/workersGroup';
import { type AgentPower, agentPower } from '../core/presenter/agents/agentRow';
import { canOpenSession } from '../core/presenter/workerRow';
import { runNeedsOf } from '../core/presenter/features/runNeeds';
import { needsOf, snoozedOf } from '../core/presenter/needs';
import type { ShownRoot } from '../core/presenter/shownRoot';
import type { WorkerStateKind } from '../core/protocol/snapshot';
import type { Fleet } from './fleet';

/** Why the tree is as it is; the welcome texts hang on it. */
type ViewState = 'loading' | 'failed' | 'empty' | 'ready';

/** States in which a worker that takes no slot can be stopped still. */
const CAN_STOP: ReadonlySet<WorkerStateKind> = new Set(['stopping', 'backoff']);

function isEmpty({ workers, queue, problems, session, features }: ShownRoot): boolean {
  const runs = features?.features.length ?? 0;
  return workers.length + queue.length + problems.length + (session?.agents.length ?? 0) + runs === 0;
}

/** Keeps the `rollcall:` context keys true to what the fleet shows, so that menus need no error messages. */
export class ContextKeys implements Disposable {
  readonly #fleet: Fleet;
  readonly #subscription: Disposable;
  readonly #known = new Map<string, string | boolean>();

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#subscription = fleet.onDidChange(() => {
      this.#update();
    });
    this.#update();
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #update(): void {
    const { snapshots } = this.#fleet;
    this.#set('rollcall:state', this.#state());
    this.#updateSession();
    this.#set(
      'rollcall:isFollowing',
      snapshots.some(({ leader }) => leader?.self === false),
    );
    this.#set(
      'rollcall:hasRuns',
      snapshots.some(({ features }) => (features?.features.length ?? 0) > 0),
    );
    this.#set(
      'rollcall:hasWorkers',
      snapshots.some((one) => one.workers.length > 0),
    );
    this.#set(
      'rollcall:hasActive',
      snapshots.some((one) => activeCount(one) > 0 || one.workers.some(({ state }) => CAN_STOP.has(state))),
    );
    this.#set(
      'rollcall:hasQueued',
      snapshots.some((one) => one.queue.length > 0),
    );
    this.#set(
      'rollcall:canSnooze',
      snapshots.some((one) => needsOf(one).some((need) => !('run' in need || 'fuse' in need))),
    );
    this.#set(
      'rollcall:hasSnoozed',
      snapshots.some((one) => snoozedOf(one).length > 0),
    );
    this.#updateEngines();
    this.#set(
      'rollcall:canRetry',
      snapshots.some((one) => one.workers.some((worker) => worker.canRetry)),
    );
  }

  #updateEngines(): void {
    const workers = this.#fleet.snapshots.flatMap((one) => one.workers);
    this.#set(
      'rollcall:hasRequests',
      workers.some(({ engine }) => (engine?.asks.length ?? 0) > 0),
    );
    this.#set(
      'rollcall:hasParked',
      workers.some(({ state }) => state === 'parked'),
    );
    this.#set('rollcall:canOpenSession', workers.some(canOpenSession));
  }

  #updateSession(): void {
    const sessions = this.#fleet.snapshots.flatMap(({ session }) => (session === null ? [] : [session]));
    const agents = sessions.flatMap((session) => session.agents);
    const hasPower = (power: AgentPower): boolean => agents.some((agent) => agentPower(agent) === power);
    this.#set('rollcall:hasAgents', agents.length > 0);
    this.#set('rollcall:agentUp', hasPower('up'));
    this.#set('rollcall:agentDown', hasPower('down'));
    this.#set('rollcall:agentWaits', hasPower('waits'));
    this.#set(
      'rollcall:hasMessages',
      agents.some(({ messages }) => messages.length > 0),
    );
    this.#set(
      'rollcall:canStartSession',
      sessions.some((session) => !session.running && session.agents.length > 0),
    );
    this.#set(
      'rollcall:canStopSession',
      sessions.some((session) => session.running || session.agents.some((agent) => agentPower(agent) === 'up')),
    );
    this.#set(
      'rollcall:canAnswer',
      sessions.some(({ inbox }) => inbox.some(({ canAnswer }) => canAnswer)),
    );
    this.#set(
      'rollcall:hasInbox',
      sessions.some(({ inbox }) => inbox.length > 0) || this.#fleet.snapshots.some((one) => runNeedsOf(one).length > 0),
    );
  }

  #state(): ViewState {
    const { phase, snapshots } = this.#fleet;
    if (phase !== 'ready') {
      return phase;
    }
    return snapshots.every(isEmpty) ? 'empty' : 'ready';
  }

  #set(key: string, value: string | boolean): void {
    if (this.#known.get(key) !== value) {
      this.#known.set(key, value);
      void vscode.commands.executeCommand('setContext', key, value);
    }
  }
}
