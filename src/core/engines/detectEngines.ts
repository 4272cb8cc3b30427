import { isRecord } from '../protocol/events/jsonGuards';
import { readBounded } from '../system/boundedRead';
import { findProgram } from '../system/findProgram';
import { allowListedEnv } from '../system/cleanEnv';
import { runTool } from '../system/runTool';
import type { EngineAdapter, EngineSettings } from './engineAdapter';
import { engineAdapters } from './engineAdapters';
import { type EngineFinding, findingOf, loginVariableOf, versionIn } from './engineFinding';
import { noEngineSettings } from './modelEngine';

/** What the search for engines may know; the environment is the person's own, before any allow-list. */
export interface DetectionWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home folder, absolute. */
  readonly home: string;
  readonly settings: Readonly<Record<string, EngineSettings>>;
}

/** A login's file holds a few keys; more than this is none. */
const LOGIN_FILE_BYTES = 1024 * 1024;

/**
 * What there is of every engine: where, which version, logged in or how to. Each program is run with `--version`
 * and at most once more to ask for the login, ten seconds at most each, all engines at once.
 */
export async function detectEngines(world: DetectionWorld): Promise<readonly EngineFinding[]> {
  return await Promise.all(engineAdapters.map(async (adapter) => await detectEngine(adapter, world)));
}

/** What there is of one engine; as `detectEngines`. */
export async function detectEngine(adapter: EngineAdapter, world: DetectionWorld): Promise<EngineFinding> {
  const { program } = world.settings[adapter.name] ?? noEngineSettings;
  const env = environmentFor(adapter, world);
  const found = await findProgram(program ?? adapter.program, world.env['PATH'] ?? '', world.home);
  if (!found.found) {
    const nothing = { path: null, refusal: found.code, version: null, loginFile: null, saysLoggedIn: null };
    return findingOf(adapter, { env, ...nothing });
  }
  const { path } = found;
  const version = await versionOf(path, env);
  const loginFile = await firstLoginFile(adapter, world);
  const isKnown = version === null || loginFile !== null || loginVariableOf(adapter, env) !== null;
  const saysLoggedIn = isKnown ? null : await statusOf(adapter, path, env);
  return findingOf(adapter, { env, path, refusal: null, version, loginFile, saysLoggedIn });
}

/** What the worker's program would get, too. */
function environmentFor({ inherits }: EngineAdapter, { env, home }: DetectionWorld): Record<string, string> {
  const own = inherits.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return allowListedEnv({ ...env, HOME: home }, Object.fromEntries(own));
}

/** What it says of itself, or null where it does not run. */
async function versionOf(path: string, env: Record<string, string>): Promise<string | null> {
  try {
    return versionIn(await runTool(path, ['--version'], env));
  } catch {
    // It is there and does not run: the finding says so.
    return null;
  }
}

/** Null where it was not asked, or gave no answer. */
async function statusOf(
  { loginStatusArgs }: EngineAdapter,
  path: string,
  env: Record<string, string>,
): Promise<boolean | null> {
  if (loginStatusArgs === null) {
    return null;
  }
  try {
    await runTool(path, loginStatusArgs, env);
    return true;
  } catch (error) {
    // Its exit code is an answer; a time-out, or an older version without this command, is none.
    return isExitOne(error) ? false : null;
  }
}

function isExitOne(error: unknown): boolean {
  return error instanceof Error && isRecord(error.cause) && error.cause['code'] === 1;
}

async function firstLoginFile({ loginFiles }: EngineAdapter, { env, home }: DetectionWorld): Promise<string | null> {
  for (const path of loginFiles(env, home)) {
    const file = await readBounded(path, LOGIN_FILE_BYTES);
    if (file.kind === 'ok' && !/^\s*(?:\{\s*\})?\s*$/.test(file.text)) {
      return path;
    }
  }
  return null;
}
