import { describe, expect, it, vi } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import type { Message } from '../../src/core/protocol/actors/message';
import type { SessionSnapshot } from '../../src/core/protocol/actors/sessionSnapshot';
import { addAgent, type AgentLanguage, languages } from '../support/agentLanguages';
import { killAgentKeeper } from '../support/killAgentKeeper';
import { agentIn, good, logOf, sessionProject, untilSession } from '../support/sessionProject';
import { openTestHost } from '../support/testHost';

const by = { requestedBy: 'cli' } as const;

/** A session with one agent, which has connected. */
class Session {
  readonly root: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #agent: string;
  host: HostApi;

  private constructor(root: string, env: NodeJS.ProcessEnv, agent: string, host: HostApi) {
    this.root = root;
    this.#env = env;
    this.#agent = agent;
    this.host = host;
  }

  static async of(language: AgentLanguage, agent: string): Promise<Session> {
    const command = [...(language.command ?? []), `.claude/agents/${agent}/${agent}.${language.extension}`];
    const { root, env } = await sessionProject({
      [agent]: { command, start: 'session', restart: { max: 3, backoffSeconds: [1] } },
    });
    addAgent(root, language, agent);
    const session = new Session(root, env, agent, await openTestHost(root, { env }));
    await session.#lead();
    good(await session.host.session.start(by));
    await session.untilConnected();
    return session;
  }

  /** Ends this supervisor, and has another one lead. */
  async replaceSupervisor(): Promise<void> {
    await this.host.shutdown();
    this.host = await openTestHost(this.root, { env: this.#env });
    await this.#lead();
  }

  async #lead(): Promise<void> {
    await this.host.watch();
    await this.host.lead();
  }

  async send(type: string, payload: Readonly<Record<string, unknown>>): Promise<void> {
    good(await this.host.session.send({ ...by, to: this.#agent, type, payload }));
  }

  async until(wanted: (session: SessionSnapshot) => boolean): Promise<SessionSnapshot> {
    return await untilSession(this.host, wanted);
  }

  async untilConnected(): Promise<void> {
    await this.until(({ agents }) => agents[0]?.state === 'running' && agents[0].connected);
  }

  /** Waits for a message of the agent, and gives its payload. */
  async hears(type: string): Promise<Readonly<Record<string, unknown>>> {
    const find = ({ agents }: SessionSnapshot) =>
      agents[0]?.messages.find(({ message }) => message.type === type && message.from === this.#agent);
    return find(await this.until((session) => find(session) !== undefined))?.message.payload ?? {};
  }

  async pid(): Promise<number | null> {
    return agentIn(await this.host.look(), this.#agent).pid;
  }

  /** All that the log says of this type. */
  events(type: string): readonly Readonly<Record<string, unknown>>[] {
    return logOf(this.root).flatMap((event) => (event.type === type ? [event.data] : []));
  }

  /** Waits until the log tells this once; it does so a moment after the files do. */
  async untilTold(type: string, data: object): Promise<void> {
    await vi.waitFor(() => {
      expect(this.events(type)).toMatchObject([data]);
    }, 60_000);
  }

  /** The numbers in the Responses of the agent, in the order of the log. */
  numbers(): readonly unknown[] {
    return this.events('MessageSent').flatMap(({ message }) => {
      const { type, payload } = message as Message;
      return type === 'Response' ? [payload['number']] : [];
    });
  }

  /** Whether nothing waits for the agent and all that it got is done with. */
  async untilAllIsHandled(): Promise<void> {
    await this.until(
      ({ agents }) =>
        agents[0]?.messages.every(({ message, stage }) => message.to !== this.#agent || stage === 'acked') === true,
    );
  }
}

describe.each(languages)('a session with an agent in $name', (language) => {
  const test = it.skipIf(language.command === null);

  test("runs the document's complete worker example: a task, a question, and a shutdown that it leaves with 42", async () => {
    const session = await Session.of(language, 'developer');
    await session.send('WorkAssign', { taskId: 'feat-001', workType: 'feature', title: 'A', acceptanceCriteria: [] });
    expect(await session.hears('WorkComplete')).toEqual({ taskId: 'feat-001', result: 'success', notes: '' });
    await session.send('Query', { question: 'Where?', context: '' });
    expect(await session.hears('Response')).toEqual({ answer: "Here's the answer..." });
    await session.untilAllIsHandled();
    good(await session.host.session.stop({ ...by, force: false }));
    await session.until(({ agents }) => agents[0]?.state === 'stopped');
    expect(agentIn(await session.host.look(), 'developer').exit?.code).toBe(42);
    await session.untilTold('AgentExited', { agent: 'developer', exitCode: 42 });
  });

  test('asks a person what blocks it, and gets the answer as new work', async () => {
    const session = await Session.of(language, 'player');
    await session.send('WorkAssign', { do: 'report', taskId: 'feat-001' });
    const { inbox } = await session.until(({ inbox: items }) => items.some(({ kind }) => kind === 'blocked'));
    const blocked = inbox.find(({ kind }) => kind === 'blocked');
    expect(blocked).toMatchObject({ agent: 'player', canAnswer: true, text: expect.stringContaining('no key') });
    good(await session.host.session.answer({ ...by, item: blocked?.id ?? '', text: 'Use mine.' }));
    await session.untilAllIsHandled();
  });

  test('starts it again behind a crash in the middle of its work, which comes again and is then done', async () => {
    const session = await Session.of(language, 'player');
    const first = await session.pid();
    await session.send('WorkAssign', { do: 'die', taskId: 'feat-001' });
    await session.until(({ agents }) => agents[0]?.restarts === 1);
    await session.untilConnected();
    await session.untilAllIsHandled();
    expect(await session.pid()).not.toBe(first);
    expect(session.events('AgentCrashed')).toMatchObject([{ agent: 'player' }]);
    expect(session.events('MessageDelivered')).toMatchObject([
      { agent: 'player' },
      { agent: 'player', redelivered: true },
    ]);
  });

  test('starts it with the answer to the question that it left with, and with nothing that it had handled', async () => {
    const session = await Session.of(language, 'player');
    await session.send('WorkAssign', { do: 'ask', taskId: 'feat-001' });
    const { inbox } = await session.until(({ inbox: items }) => items.length > 0);
    await session.untilTold('AgentExited', { agent: 'player', exitCode: 0 });
    good(await session.host.session.answer({ ...by, item: inbox[0]?.id ?? '', text: 'Left.' }));
    await session.untilConnected();
    await session.untilAllIsHandled();
    expect(session.events('MessageDelivered')).toHaveLength(2);
  });

  test('goes on with the same process behind a restart of the supervisor and behind the death of its keeper', async () => {
    const session = await Session.of(language, 'player');
    const pid = await session.pid();
    await session.replaceSupervisor();
    await session.send('WorkAssign', { do: 'work', taskId: 'feat-001' });
    await session.hears('WorkComplete');
    killAgentKeeper(session.root, 'player');
    await session.send('WorkAssign', { do: 'work', taskId: 'feat-002' });
    await session.until(
      ({ agents }) =>
        agents[0]?.messages.some(
          ({ message }) => message.type === 'WorkComplete' && message.payload['taskId'] === 'feat-002',
        ) === true,
    );
    await session.untilAllIsHandled();
    expect(await session.pid()).toBe(pid);
    expect(session.events('AgentCrashed')).toEqual([]);
  });

  test('loses and doubles nothing of what it says while its keeper is killed again and again', async () => {
    const session = await Session.of(language, 'player');
    const pid = await session.pid();
    await session.send('WorkAssign', { do: 'talk', taskId: 'feat-001', count: 600 });
    for (const many of [100, 300]) {
      await vi.waitFor(() => {
        expect(session.numbers().length).toBeGreaterThan(many);
      }, 60_000);
      killAgentKeeper(session.root, 'player');
    }
    await vi.waitFor(() => {
      expect(session.numbers()).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    }, 60_000);
    await session.untilAllIsHandled();
    expect(await session.pid()).toBe(pid);
  });
});
