/** Names that a worker's environment may inherit; compared without case, because Windows' names have none. */
const ALLOWED = new Set(
  [
    'PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE TZ TMPDIR TMP TEMP COLORTERM NO_COLOR FORCE_COLOR',
    'SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH APPDATA',
    'LOCALAPPDATA ProgramData ProgramFiles ProgramFiles(x86) ProgramW6432 CommonProgramFiles NUMBER_OF_PROCESSORS',
    'PROCESSOR_ARCHITECTURE OS SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY',
  ].flatMap((names) => names.toLowerCase().split(' ')),
);

/**
 * The environment for a worker: the allow-listed part of `env`, then `additions`, which are the person's own and pass
 * as they are. Nothing of VS Code, Electron, npm or Node's options gets through (lifecycle §10).
 */
export function allowListedEnv(
  env: Readonly<Record<string, string | undefined>>,
  additions: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isAllowed(name)) {
      kept[name] = value;
    }
  }
  return { ...kept, ...additions };
}

function isAllowed(name: string): boolean {
  const lower = name.toLowerCase();
  return ALLOWED.has(lower) || lower.startsWith('lc_');
}
