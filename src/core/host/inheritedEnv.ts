import type { CallerEnv } from './hostContext';

/** What an engine needs of the caller's environment beside the allow-list: keys and addresses, by these names. */
export function inheritedEnv(env: CallerEnv, names: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])));
}
