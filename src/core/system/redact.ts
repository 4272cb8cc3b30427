/** What stands in a record or log in place of a secret. */
const REDACTED = '***';

const SECRET_NAME =
  /(?:token|secret|passwd|password|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth(?!or))/i;
const SECRET_VALUE =
  /\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})/g;
/**
 * A value that its own line calls a secret, as `password=…` or `"api_key": "…"`. The name must end in the word, because
 * counts of tokens are no secret; it may begin anywhere, which a pattern need not look for.
 */
const NAMED_SECRET =
  /((?:password|passwd|token|secret|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)(?:["']?\s?=\s?["']?|["']\s?:\s?["']))[^\s"'&,;]{4,}/gi;
/** Shorter ones would blacken innocent text, e.g. every digit. */
const SHORTEST_SECRET = 4;
/** A variable that is only called secret may hold `true` or `basic`; those words must stay readable. */
const SHORTEST_SECRET_VALUE = 8;

/** The text without the given secrets, without anything that has the known shape of a key, and what it calls a secret. */
export function redact(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.filter((secret) => secret.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
  const without = longestFirst.reduce((rest, secret) => rest.split(secret).join(REDACTED), text);
  const unnamed = without.replace(SECRET_VALUE, REDACTED);
  // Most output has neither, and all of it comes by here.
  const assigns = unnamed.includes('=') || unnamed.includes(':');
  return assigns ? unnamed.replace(NAMED_SECRET, `$1${REDACTED}`) : unnamed;
}

/** An argument vector fit for a record: secrets out, and the values of `--token x`, `--api-key=x` and the like too. */
export function redactArguments(args: readonly string[], secrets: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const before = index === 0 ? '' : (args[index - 1] ?? '');
    if (isSecretFlag(before) && !arg.startsWith('-')) {
      return REDACTED;
    }
    const [, flag] = /^(--?[\w-]+|\w+)=/.exec(arg) ?? [];
    return flag !== undefined && SECRET_NAME.test(flag) ? `${flag}=${REDACTED}` : redact(arg, secrets);
  });
}

/**
 * The values of at least 8 characters in an environment whose names say that they are secret, also inside a variable that
 * holds a whole configuration as JSON; for `redact`.
 */
export function secretValuesOf(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => [
    ...(isSecretValue(name, value) ? [value] : []),
    ...(value.startsWith('{') ? secretsInJson(value) : []),
  ]);
}

function isSecretValue(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && value.length >= SHORTEST_SECRET_VALUE;
}

function secretsInJson(text: string): readonly string[] {
  const found: string[] = [];
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (typeof value === 'string' && isSecretValue(name, value)) {
        found.push(value);
      }
      return value;
    });
  } catch {
    // Braces, and no JSON: no names are in it.
  }
  return found;
}

function isSecretFlag(arg: string): boolean {
  return /^--?[\w-]+$/.test(arg) && SECRET_NAME.test(arg);
}

/** Secrets as they can occur within one line. */
export function secretLines(secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) => secret.split(/[\r\n]+/)).filter((line) => line.trim() !== '');
}
