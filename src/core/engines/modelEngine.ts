import type { EngineOrder } from '../protocol/engines/engineOrder';
import type { EngineCommand } from '../protocol/keeper/keeperSpec';
import type { Engine, EngineRequest } from './engine';
import type { EngineSandbox } from './engineSandbox';
import { homeOf } from './homeOf';
import type { EngineAdapter, EngineSettings } from './engineAdapter';

/** Where nothing is configured. */
export const noEngineSettings: EngineSettings = { program: null, models: {}, hosts: [], args: [] };

/** Absolute paths. */
export interface ModelProgram {
  /** The engine's own program. */
  readonly program: string;
  /** Where our bundles lie. */
  readonly distDir: string;
}

/** An engine that asks a model: a program that was found, driven by its adapter. */
export class ModelEngine implements Engine {
  readonly graceMs = 120_000;
  readonly #adapter: EngineAdapter;
  readonly #program: string;
  readonly #distDir: string;
  readonly #settings: EngineSettings;

  constructor(adapter: EngineAdapter, { program, distDir }: ModelProgram, settings: EngineSettings = noEngineSettings) {
    this.#adapter = adapter;
    this.#program = program;
    this.#distDir = distDir;
    this.#settings = settings;
  }

  get name(): string {
    return this.#adapter.name;
  }

  get inherits(): readonly string[] {
    return this.#adapter.inherits;
  }

  /** Throws for a type without a template; `selectEngine` never picks this engine for such a type. */
  commandOf(request: EngineRequest): EngineCommand {
    const { type, prompt, env, root } = request;
    if (prompt === null) {
      throw new Error(`Worker type ${type.name} has no template. Add "template" to it, or use the engine command.`);
    }
    const model = modelFor(type.model, this.#adapter, this.#settings);
    const [extraArgs, distDir] = [this.#settings.args, this.#distDir];
    const command = this.#adapter.commandOf({ ...request, prompt, model, extraArgs, distDir });
    return {
      command: this.#program,
      args: command.args,
      // What the person configured wins over our switches.
      env: { ...command.env, ...env, ...command.merged },
      cwd: root,
      stdin: command.stdin,
    };
  }

  readonly sandboxOf = ({ env }: EngineRequest): EngineSandbox => {
    const { hosts, addressVariables, stateFolders, protectedState, scrubVariable, loginVariables } = this.#adapter;
    const home = homeOf(env);
    const configured = addressVariables.flatMap((name) => hostIn(env[name]));
    return {
      hosts: [...new Set([...hosts, ...this.#settings.hosts, ...configured])],
      writable: stateFolders(env, home),
      protects: protectedState(env, home),
      scrub: scrubVariable === null ? null : { variable: scrubVariable, names: loginVariables },
    };
  };

  readonly openCommandOf = (sessionId: string): readonly string[] => [
    this.#program,
    ...this.#adapter.openArgs(sessionId),
  ];

  readonly orderOf = (request: EngineRequest): EngineOrder => this.#adapter.orderOf(request);
}

/** The engine's name for a type's model, or null for its default: by setting, then by its own table, else as it stands. */
export function modelFor(
  word: string,
  { models }: Pick<EngineAdapter, 'models'>,
  settings: Pick<EngineSettings, 'models'>,
): string | null {
  const own = settings.models[word];
  if (own !== undefined) {
    return own;
  }
  return word === 'none' || word === '' ? null : word in models ? (models[word] ?? null) : word;
}

/** The host of an address, or nothing where it is none. */
function hostIn(address: string | undefined): readonly string[] {
  const host = address !== undefined && URL.canParse(address) ? new URL(address).hostname : '';
  return host === '' ? [] : [host];
}
