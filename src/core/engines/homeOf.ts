/** The home folder that a program of this environment takes for its own; empty where it names none. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOME'] ?? env['USERPROFILE'] ?? '';
}
