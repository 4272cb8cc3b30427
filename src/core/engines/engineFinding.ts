import type { EngineStreamName } from '../protocol/engines/engineOrder';
import type { EngineAdapter } from './engineAdapter';

/** What there is of one engine on this machine. */
export interface EngineFinding {
  readonly name: EngineStreamName;
  readonly isExperimental: boolean;
  /** Absolute path of its program, or null. */
  readonly path: string | null;
  /** As `1.2.3`, or null where the program does not say. */
  readonly version: string | null;
  readonly login: 'yes' | 'no' | 'unknown';
  /** The variable or the file that is the login; null where the program itself says so, or none was found. */
  readonly loginBy: string | null;
  /** Why it cannot be started, ending in what the person can do, or null. */
  readonly trouble: string | null;
  /** How to log in, where nothing is known of a login; a provider of the person's own may need none. */
  readonly advice: string | null;
}

/** What was seen of one engine. */
export interface EngineTraces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly path: string | null;
  /** The system's code for why the program cannot be run. */
  readonly refusal: string | null;
  readonly version: string | null;
  readonly loginFile: string | null;
  /** What the program says of the login; null where it does not. */
  readonly saysLoggedIn: boolean | null;
}

/** The finding that the traces make. */
export function findingOf(adapter: EngineAdapter, traces: EngineTraces): EngineFinding {
  const { name, isExperimental, program, loginCommand } = adapter;
  const { path, version, saysLoggedIn } = traces;
  const loginBy = loginVariableOf(adapter, traces.env) ?? traces.loginFile;
  const login = loginBy !== null ? 'yes' : loginSaid(saysLoggedIn);
  const trouble = troubleOf(adapter, traces);
  const isUnsure = trouble === null && login !== 'yes';
  const advice = isUnsure ? `To log in to ${program}, run in a terminal: ${loginCommand}` : null;
  return { name, isExperimental, path, version, login, loginBy, trouble, advice };
}

/** The variable of the person that is a login, or null. */
export function loginVariableOf(
  { loginVariables }: Pick<EngineAdapter, 'loginVariables'>,
  env: EngineTraces['env'],
): string | null {
  return loginVariables.find((name) => (env[name] ?? '') !== '') ?? null;
}

function loginSaid(saysLoggedIn: boolean | null): EngineFinding['login'] {
  if (saysLoggedIn === null) {
    return 'unknown';
  }
  return saysLoggedIn ? 'yes' : 'no';
}

function troubleOf(
  { program, installCommand }: EngineAdapter,
  { path, refusal, version }: EngineTraces,
): string | null {
  if (path === null) {
    return refusal === 'ENOENT'
      ? `${program} is not installed. Install it with: ${installCommand}`
      : `${program} cannot be run (${refusal ?? 'unknown'}). Make it executable, or set the path of another one.`;
  }
  return version === null ? `${path} does not answer to --version. Run it in a terminal to see why.` : null;
}

/** The first version number in what a program says of itself, or null. */
export function versionIn(text: string): string | null {
  return /\b\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(text)?.[0] ?? null;
}

/** Whether `auto` may take it: it is there, it runs, and somebody is logged in. */
export function isUsable({ trouble, isExperimental, login }: EngineFinding): boolean {
  return trouble === null && login === 'yes' && !isExperimental;
}
