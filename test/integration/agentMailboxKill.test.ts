import { expect, it } from 'vitest';
import type { AcceptedMessage } from '../../src/core/protocol/keeper/mail';
import { holds, type Leader, mail, type RawAgent, useAgents } from '../support/agentRig';
import { seededRandom } from '../support/seededRandom';

const rig = useAgents();

const MESSAGES = 10_000;
const MAIL = 2_000;
const KILLS = 12;
/** So many messages are on their way at most. */
const AHEAD = 400;

/** What a runtime of ours does: sends again what it was not told to be accepted, and handles each mail once. */
class Runtime {
  accepted = 0;
  readonly handled: number[] = [];
  readonly #handled = new Set<number>();
  #sent = 0;
  #agent: RawAgent | null = null;

  connect(): void {
    this.#agent = rig.runtime('one', { cursor: this.handled.at(-1) ?? 0 });
    this.#agent.onLine = ({ accepted, seq }) => {
      if (typeof accepted === 'number') {
        this.accepted = accepted;
        this.#sendMore();
      } else if (typeof seq === 'number') {
        this.#handle(seq);
      }
    };
    this.#sent = this.accepted;
    this.#sendMore();
  }

  #sendMore(): void {
    for (; this.#sent < MESSAGES && this.#sent - this.accepted < AHEAD; this.#sent += 1) {
      this.#agent?.say({ n: this.#sent + 1, type: 'Query', payload: { n: this.#sent + 1 } });
    }
  }

  #handle(seq: number): void {
    if (!this.#handled.has(seq)) {
      this.#handled.add(seq);
      this.handled.push(seq);
    }
    this.#agent?.say({ ack: seq });
  }
}

/** What the process that leads does: everything is in its log before it says so; the rest is delivered again. */
class Log {
  readonly messages: AcceptedMessage[] = [];
  readonly #doubled: number[] = [];
  #leader: Leader | null = null;

  get doubled(): readonly number[] {
    return this.#doubled;
  }

  get taken(): number {
    return this.messages.at(-1)?.number ?? 0;
  }

  async connect(epoch: number): Promise<void> {
    const leader = await rig.leader(epoch);
    this.#leader = leader;
    leader.client.onEvent(({ event, params }) => {
      if (event === 'accepted' && this.#leader === leader) {
        this.#take((params as { messages: AcceptedMessage[] }).messages);
      }
    });
    const { handed, acked, waiting } = await leader.attach(this.taken);
    const known = new Set([...handed, ...acked, ...waiting]);
    const items = Array.from({ length: MAIL }, (_, index) => mail(index + 1)).filter(({ seq }) => !known.has(seq));
    for (let from = 0; from < items.length; from += 100) {
      // The keeper may be killed in the middle; then the next one gets it.
      await leader.deliver(...items.slice(from, from + 100)).catch(() => undefined);
    }
  }

  #take(messages: readonly AcceptedMessage[]): void {
    for (const message of messages) {
      if (message.number <= this.taken) {
        this.#doubled.push(message.number);
      } else {
        this.messages.push(message);
      }
    }
    this.#leader?.client.request('taken', { upTo: this.taken }).catch(() => undefined);
  }
}

it('loses and doubles nothing in either direction, whenever the keeper is killed', async () => {
  const random = seededRandom();
  const because = `seed ${random.seed}`;
  const [runtime, log] = [new Runtime(), new Log()];
  let keeper = await rig.host();
  for (let epoch = 1; epoch <= KILLS; epoch += 1) {
    runtime.connect();
    // The keeper may be killed before the leader is done with it.
    const told = log.connect(epoch).catch(() => undefined);
    const goal = runtime.accepted + random.below((2 * MESSAGES) / KILLS);
    await holds(() => {
      expect(Math.min(goal, MESSAGES)).toBeLessThanOrEqual(runtime.accepted);
    });
    await keeper.kill();
    await told;
    keeper = await rig.host({}, { epoch: epoch + 1, adopt: await rig.mustProcess() });
  }
  runtime.connect();
  await log.connect(KILLS + 1);
  await holds(() => {
    expect([runtime.accepted, log.messages.length, runtime.handled.length]).toEqual([MESSAGES, MESSAGES, MAIL]);
  });
  const everything = Array.from({ length: MESSAGES }, (_, index) => index + 1);
  expect(log.doubled, because).toEqual([]);
  expect(
    log.messages.map(({ number }) => number),
    because,
  ).toEqual(everything);
  expect(
    log.messages.map(({ message }) => message.payload['n']),
    because,
  ).toEqual(everything);
  expect(runtime.handled, because).toEqual(everything.slice(0, MAIL));
}, 300_000);
