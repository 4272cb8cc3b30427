import { describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../test/support/manualClock';
import { aKeeper, anEntry, anExit, aProcess, someFacts } from '../../../test/support/workerFacts';
import { toDisposable } from '../base/disposable';
import { Emitter } from '../base/emitter';
import { silentLogger } from '../base/logger';
import type { KeeperBeat } from '../protocol/keeper/control';
import type { ExitRecord } from '../protocol/keeper/exitRecord';
import type { KeeperReady, KeeperSpec } from '../protocol/keeper/keeperSpec';
import type { WorkerFacts } from '../protocol/workerFacts';
import { ControlError } from '../system/controlMessage';
import type { KeeperClient } from './keeperClient';
import { SupervisedWorker } from './supervisedWorker';

/** A keeper at the other end of a line: it remembers what it was asked, and says what it is told to say. */
class ScriptedKeeper {
  readonly asked: (readonly [string, unknown])[] = [];
  exit: ExitRecord | null = null;
  connections = 0;
  /** How many more times nobody answers. */
  deaf = 0;
  #exits = new Emitter<ExitRecord>(() => undefined);
  #closed = new Emitter<null>(() => undefined);

  async connect(): Promise<KeeperClient> {
    this.connections += 1;
    if (this.deaf > 0) {
      this.deaf -= 1;
      throw new ControlError({ code: 'no-answer', message: 'Nobody answers.' });
    }
    return await Promise.resolve({
      request: async (method: string, params: unknown) => await Promise.resolve(this.#answer(method, params)),
      on: (event: string, listener: (params: never) => void) =>
        event === 'exit' ? this.#exits.event(listener as (exit: ExitRecord) => void) : toDisposable(() => undefined),
      onClose: (listener: () => void) => this.#closed.event(listener),
      dispose: () => undefined,
    } as KeeperClient);
  }

  endWith(exit: ExitRecord): void {
    this.exit = exit;
    this.#exits.fire(exit);
    this.hangUp();
  }

  hangUp(): void {
    this.#closed.fire(null);
  }

  requests(method: string): readonly unknown[] {
    return this.asked.filter(([name]) => name === method).map(([, params]) => params);
  }

  #answer(method: string, params: unknown): unknown {
    this.asked.push([method, params]);
    const beat: KeeperBeat = { process: aProcess, outputBytes: 0, lastOutputAt: null, stop: null, exit: this.exit };
    return method === 'beat' ? beat : null;
  }
}

const spec = {
  workerId: anEntry().worker_id,
  epoch: 1,
  nonce: 'aa',
  graceMs: 30_000,
  termGraceMs: 5_000,
} as KeeperSpec;
const ready: KeeperReady = { ready: true, endpoint: '/nowhere/keeper.sock', process: aProcess };

function setUp(look: () => Promise<WorkerFacts | null> = async () => Promise.resolve(someFacts())) {
  const clock = new ManualClock();
  const keeper = new ScriptedKeeper();
  const launched: KeeperSpec[] = [];
  const kinds: string[] = [];
  const deps = {
    clock,
    logger: silentLogger,
    record: () => undefined,
    launch: async (what: KeeperSpec) => {
      launched.push(what);
      return await Promise.resolve(ready);
    },
    connect: async () => await keeper.connect(),
    look,
    takeOverSpec: () => spec,
  };
  const worker = new SupervisedWorker(spec.workerId, deps, ({ state }) => kinds.push(state.kind));
  return { clock, keeper, launched, kinds, worker };
}

describe('a supervised worker', () => {
  it('whose keeper does not answer is tried again until it does', async () => {
    const { clock, keeper, worker } = setUp();
    keeper.deaf = 3;
    await worker.start(spec);
    await vi.waitFor(() => {
      clock.advance(5_000);
      expect(keeper.connections).toBe(4);
    });
    await vi.waitFor(() => {
      expect(keeper.requests('beat')).toHaveLength(1);
    });
    expect(worker.state.kind).toBe('running');
  });

  it('that ended before the line was open is heard of all the same', async () => {
    const { keeper, worker } = setUp();
    keeper.exit = anExit();
    await worker.start(spec);
    expect(worker.state).toMatchObject({ kind: 'completed' });
  });

  it('ends once, although the exit is told by the event, the closed line and the record', async () => {
    const exit = anExit({ code: 3, class: 'crash' });
    const { keeper, worker, kinds, launched } = setUp(async () =>
      Promise.resolve(someFacts({ keeper: aKeeper({ exit }) })),
    );
    await worker.start(spec);
    keeper.endWith(exit);
    await vi.waitFor(() => {
      expect(worker.state.kind).toBe('failed');
    });
    await worker.adopt(someFacts({ keeper: aKeeper({ exit }) }), 1);
    expect(kinds).toEqual(['starting', 'running', 'failed']);
    expect(launched).toHaveLength(1);
  });

  it('is not lost when its files cannot be read at the moment of its end', async () => {
    const exit = anExit();
    let failures = 1;
    const { clock, keeper, worker } = setUp(async () => {
      failures -= 1;
      return failures >= 0
        ? await Promise.reject(new Error('EMFILE'))
        : await Promise.resolve(someFacts({ keeper: aKeeper({ exit }) }));
    });
    await worker.start(spec);
    keeper.endWith(exit);
    await vi.waitFor(() => {
      clock.advance(5_000);
      expect(worker.state.kind).toBe('completed');
    });
  });

  it('that takes longer to stop than its ladder may is pressed on', async () => {
    const { clock, keeper, worker } = setUp();
    await worker.start(spec);
    await worker.stop({ facts: someFacts(), epoch: 1, requestedBy: 'cli', force: false });
    expect(keeper.requests('stop')).toEqual([{ requestedBy: 'cli', force: false }]);
    clock.advance(60_000);
    await vi.waitFor(() => {
      expect(keeper.requests('stop')).toHaveLength(2);
    });
    expect(keeper.requests('stop').at(-1)).toEqual({ requestedBy: 'cli', force: true });
  });

  it('that cannot be looked at from here is let go, and left alone', async () => {
    const elsewhere = someFacts({ keeper: aKeeper({ keeper: 'unknown', process: 'unknown' }) });
    const { keeper, worker, launched } = setUp(async () => Promise.resolve(elsewhere));
    await worker.adopt(elsewhere, 1);
    expect(worker.state).toMatchObject({ kind: 'unknown', reason: 'not ours' });
    expect({ launched, connections: keeper.connections }).toEqual({ launched: [], connections: 0 });
  });
});
