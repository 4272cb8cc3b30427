import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineRequest } from '../core/engines/engine';
import type { EngineAgentJob } from '../core/engines/engineAgentJob';
import type { EngineAdapter } from '../core/engines/engineAdapter';
import { ModelEngine } from '../core/engines/modelEngine';
import type { EngineLimit } from '../core/protocol/actors/engineAgentRecord';
import type { EngineTurnEnd } from '../core/protocol/actors/engineTurnReplies';
import { engineExit, type EngineVerdict } from '../core/protocol/engines/engineExit';
import { engineTrouble } from '../core/protocol/engines/engineTrouble';
import { engineRollout } from '../core/system/engineRollout';
import { absentPlaces, removeLeavings } from '../core/system/leavings';
import { redact, secretLines, secretValuesOf } from '../core/system/redact';
import { shortText } from '../core/protocol/engines/shortText';
import { EngineProcess } from './engineProcess';
import { EngineState } from './engineState';
import { SessionFile } from './sessionFile';
import { TurnLimited } from './turnLimited';
import { TurnOutput } from './turnOutput';

export interface EngineTurnsOptions {
  readonly job: EngineAgentJob;
  readonly adapter: EngineAdapter;
  /** The environment of the engine's program. */
  readonly env: Readonly<Record<string, string>>;
  /** Where our bundles lie, absolute. */
  readonly distDir: string;
  /** Tells the agent's log. */
  readonly print: (text: string) => void;
}

/** One start of the program. */
interface Attempt {
  readonly verdict: EngineVerdict;
  readonly code: number | null;
  readonly answer: string;
  /** It began to work in its session. */
  readonly hasSession: boolean;
}

/** The turns of one engine's session, one start of its program each. */
export class EngineTurns {
  readonly #options: EngineTurnsOptions;
  readonly #engine: ModelEngine;
  readonly #session: SessionFile;
  readonly #state: EngineState;
  readonly #secrets: readonly string[];
  #process: EngineProcess | null = null;
  #isInterrupted = false;

  constructor(options: EngineTurnsOptions) {
    const { job, adapter, env, distDir } = options;
    this.#options = options;
    this.#engine = new ModelEngine(adapter, { program: job.program, distDir }, job.settings);
    this.#session = new SessionFile(join(job.folder, 'engine-session.json'), { engine: job.engine, root: job.root });
    this.#state = new EngineState(job.call?.agentFolder ?? job.folder);
    this.#secrets = secretLines(secretValuesOf(env));
  }

  /** Ends the turn that runs, and begins no other. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#process?.interrupt();
  }

  /**
   * Runs one turn; `promptFor` is asked with true where its session is new. Null: it was interrupted. Rejects with
   * `TurnLimited` where the engine takes no requests for a while.
   */
  async run(promptFor: (isFirst: boolean) => string): Promise<EngineTurnEnd | null> {
    const { job, print } = this.#options;
    const known = await this.#session.read();
    const attempt = await this.#start(promptFor(known === null), known);
    const isLost = known !== null && !attempt.hasSession && saysNothingOfSession(attempt.verdict);
    if (!isLost || this.#isInterrupted) {
      return this.#endOf(attempt);
    }
    print(`[session] ${job.engine} did not go on with ${known}: a new session begins.`);
    return this.#endOf(await this.#start(promptFor(true), null));
  }

  #endOf({ verdict, code, answer }: Attempt): EngineTurnEnd | null {
    if (this.#isInterrupted) {
      return null;
    }
    if (verdict.class === 'done') {
      return { kind: 'done', text: redact(answer, this.#secrets) };
    }
    const { adapter, job } = this.#options;
    const reason = engineTrouble(verdict, { name: job.engine, loginCommand: adapter.loginCommand });
    if (verdict.class === 'rate limited') {
      throw new TurnLimited(reason);
    }
    return { kind: 'failed', reason, ...(code === null || code === 0 ? {} : { exitCode: code }) };
  }

  async #start(prompt: string, resume: string | null): Promise<Attempt> {
    const { job, env, print } = this.#options;
    const request = requestOf(job, { prompt, resume, env });
    mkdirSync(request.folder, { recursive: true });
    const order = this.#engine.orderOf(request);
    const absent = absentPlaces([job.root, env['TMPDIR'] ?? ''].filter(isPlace), order.leavings);
    const output = new TurnOutput(order.stream, this.#secrets, print);
    const outputPath = join(job.folder, 'turn.raw');
    await this.#state.begin(order);
    const running = new EngineProcess(this.#engine.commandOf(request), order, outputPath);
    this.#process = running;
    const { code, signal, refusal } = await running.follow(async (piece) => {
      output.take(piece);
      this.#state.note(output.facts);
      await this.#remember(output);
    });
    this.#process = null;
    output.end();
    await this.#remember(output);
    rmSync(outputPath, { force: true });
    await removeLeavings(absent);
    const { facts, answer } = output;
    const beside = await engineRollout(order, facts.sessionId);
    const seen = { started: true, stopRequested: false, terminalWord: null, outOfMemory: false };
    const verdict = refusal === null ? engineExit({ code, signal, ...seen, facts, beside }) : notStarted(refusal);
    // The limit of a call is told in its answer, and parks nobody.
    await this.#state.end(facts, job.call === null ? limitOf(verdict) : null);
    return { verdict, code, answer, hasSession: facts.sessionId !== null };
  }

  async #remember({ facts: { sessionId } }: TurnOutput): Promise<void> {
    if (sessionId !== null) {
      await this.#session.write(sessionId);
    }
  }
}

/** It failed, and not because the service takes no requests. */
function saysNothingOfSession({ class: exitClass }: EngineVerdict): boolean {
  return exitClass !== 'done' && exitClass !== 'rate limited';
}

function limitOf({ class: exitClass, reason, resetsAt }: EngineVerdict): EngineLimit | null {
  return exitClass === 'rate limited'
    ? { says: shortText(reason ?? exitClass), resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString() }
    : null;
}

function requestOf(
  { agent, engine, model, root, folder, hasWorktree, budgetUsd }: EngineAgentJob,
  { prompt, resume, env }: Pick<EngineRequest, 'prompt' | 'env'> & { readonly resume: string | null },
): EngineRequest {
  return {
    type: {
      name: agent,
      description: '',
      model,
      template: null,
      // Session agents work on the project itself; what they may do besides is for its own settings to say.
      mayWrite: ['.'],
      command: null,
      engine,
      env: {},
      graceSeconds: null,
      source: 'workers.json',
    },
    workerId: agent,
    root,
    folder: join(folder, 'scratch'),
    prompt,
    env,
    hasWorktree,
    loadsProject: true,
    ...(budgetUsd === null ? {} : { budgetUsd }),
    ...(resume === null ? {} : { resume }),
  };
}

function notStarted(refusal: string): EngineVerdict {
  const reason = `its program could not be started (${refusal})`;
  return { class: 'not installed', reason, resetsAt: null, remedy: 'check configuration', isTransient: false };
}

function isPlace(folder: string): boolean {
  return folder !== '';
}
