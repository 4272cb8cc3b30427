import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock';
import { fail, ok, type Result } from '../base/result';
import { detectEngine } from '../engines/detectEngines';
import type { Engine } from '../engines/engine';
import type { EngineAdapter } from '../engines/engineAdapter';
import { engineAdapters } from '../engines/engineAdapters';
import { type EngineFinding, isUsable } from '../engines/engineFinding';
import type { EnginesSettings } from '../engines/engineSettings';
import { foundEngines } from '../engines/foundEngines';
import { homeOf } from '../engines/homeOf';
import { selectEngine } from '../engines/selectEngine';
import type { AgentConfig } from '../protocol/config/configModel';
import type { WorkerType } from '../protocol/workers/workerType';
import type { CallerEnv } from './hostContext';

export interface EngineCatalogOptions {
  readonly root: string;
  /** Where our bundles lie, absolute. */
  readonly distDir: string;
  /** Those that are always there. */
  readonly own: readonly Engine[];
  /** The person's settings as they are now. */
  readonly settings: () => EnginesSettings;
  readonly clock: Clock;
}

/** A program that was found is not asked again for so long, milliseconds: one start asks twice. */
const BELIEVED_MS = 30_000;

/** Knows what can run a worker here: our own engines, and those that are looked for on the machine when they are needed. */
export class EngineCatalog {
  readonly #options: EngineCatalogOptions;
  readonly #found = new Map<string, { readonly at: number; readonly finding: EngineFinding }>();

  constructor(options: EngineCatalogOptions) {
    this.#options = options;
  }

  get settings(): EnginesSettings {
    return this.#options.settings();
  }

  /**
   * The engine that runs the type (engines.md): the one that it names, or for `auto` the first that is installed and
   * logged in. `env` is the caller's, with what is configured. Runs programs only to ask for version and login, and none
   * where our own engines do. The error ends in what the person can do.
   */
  async engineFor(type: WorkerType, env: CallerEnv): Promise<Result<Engine, string>> {
    const findings = await this.#findingsFor(type, env);
    const refusal = refusalOf(type, findings);
    if (refusal !== null) {
      return fail(refusal);
    }
    const { automatic, named } = foundEngines(findings, this.settings.engines, this.#options.distDir);
    const engine = selectEngine(type, [...automatic, ...this.#options.own], named);
    return engine.ok && engine.value.name === 'builtin' && needsModel(type) ? fail(noneText(type)) : engine;
  }

  /** What a session agent's engine is: one that asks a model, chosen as `engineFor` does. The error ends as there. */
  async findingForAgent(
    { name, engine }: Pick<AgentConfig, 'name' | 'engine'>,
    env: CallerEnv,
  ): Promise<Result<EngineFinding & { readonly path: string }, string>> {
    const findings = await this.#findingsFor({ engine, template: '', command: null }, env);
    const finding = engine === 'auto' ? findings.find(isUsable) : findings[0];
    if (finding === undefined) {
      return fail(noneForAgentText(name, engine));
    }
    const { path, trouble } = finding;
    return trouble === null && path !== null
      ? ok({ ...finding, path })
      : fail(`Agent ${name} wants the engine ${finding.name}. ${trouble ?? ''}`);
  }

  /** What there is of every engine, asked anew. */
  async findAll(env: CallerEnv): Promise<readonly EngineFinding[]> {
    this.#found.clear();
    return await Promise.all(engineAdapters.map(async (adapter) => await this.#findingOf(adapter, env)));
  }

  /** The engine of a session that was begun with it, wherever its program is now; null where it is gone. */
  async engineNamed(name: string, env: CallerEnv): Promise<Engine | null> {
    const adapter = engineAdapters.find((candidate) => candidate.name === name);
    const findings = adapter === undefined ? [] : [await this.#findingOf(adapter, env)];
    const { automatic, named } = foundEngines(findings, this.settings.engines, this.#options.distDir);
    return [...automatic, ...named][0] ?? null;
  }

  /** Whether the project holds files that the engine would run as code and that no switch turns off. */
  runsUnasked({ runsUnasked }: Pick<EngineAdapter, 'runsUnasked'>): boolean {
    return runsUnasked.some((path) => existsSync(join(this.#options.root, path)));
  }

  /** Only what the choice depends on is looked for. */
  async #findingsFor(
    type: Pick<WorkerType, 'engine' | 'template' | 'command'>,
    env: CallerEnv,
  ): Promise<readonly EngineFinding[]> {
    const named = engineAdapters.filter(({ name }) => name === type.engine);
    if (type.engine !== 'auto' || type.template === null || type.command !== null) {
      return await Promise.all(named.map(async (adapter) => await this.#findingOf(adapter, env)));
    }
    const findings: EngineFinding[] = [];
    for (const adapter of engineAdapters) {
      if (adapter.isExperimental || this.runsUnasked(adapter)) {
        continue;
      }
      const finding = await this.#findingOf(adapter, env);
      findings.push(finding);
      if (isUsable(finding)) {
        break;
      }
    }
    return findings;
  }

  async #findingOf(adapter: EngineAdapter, env: CallerEnv): Promise<EngineFinding> {
    const { clock } = this.#options;
    const { engines } = this.settings;
    const logins = adapter.loginVariables.filter((name) => (env[name] ?? '') !== '');
    const key = JSON.stringify([adapter.name, engines[adapter.name]?.program, env['PATH'], homeOf(env), logins]);
    const known = this.#found.get(key);
    if (known !== undefined && clock.monotonic() - known.at < BELIEVED_MS) {
      return known.finding;
    }
    const finding = await detectEngine(adapter, { env, home: homeOf(env), settings: engines });
    if (isUsable(finding)) {
      this.#found.set(key, { at: clock.monotonic(), finding });
    }
    return finding;
  }
}

/**
 * Why an engine that the type names cannot run it, or null. Without a login it is started all the same: the person's own
 * service may need none, and else its program says in seconds how to sign in.
 */
function refusalOf(type: WorkerType, findings: readonly EngineFinding[]): string | null {
  const finding = findings.find(({ name }) => name === type.engine);
  if (finding === undefined) {
    return null;
  }
  if (type.template === null) {
    return `Worker type ${type.name} wants the engine ${finding.name} and has no template for it. Add "template" to it.`;
  }
  const { name, trouble } = finding;
  return trouble === null ? null : `Worker type ${type.name} wants the engine ${name}. ${trouble}`;
}

/** Our own engine does what the protocol says, and cannot read a template. */
function needsModel({ source, template }: WorkerType): boolean {
  return source === 'workers.json' && template !== null;
}

function noneText({ name }: WorkerType): string {
  return `Worker type ${name} has a template, which only a model can follow, and no engine is installed and logged in. See \`rollcall doctor\`.`;
}

function noneForAgentText(name: string, engine: string): string {
  return `Agent ${name} needs a model, and ${engine} finds none that is logged in. See \`rollcall doctor\`.`;
}
