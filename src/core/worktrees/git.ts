import { dirname } from 'node:path';
import { fail, ok, type Result } from '../base/result';
import { type ProgramRun, runProgram } from '../system/runProgram';

export interface GitOptions {
  readonly root: string;
  /** Allow-listed; what steers git from outside (GIT_DIR and the like) is not in it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs `git` for one project. Errors are sentences that end in what git itself said or what the person can do. */
export class Git {
  readonly root: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ root, env }: GitOptions) {
    this.root = root;
    this.#env = { ...env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };
  }

  /**
   * One command, whatever its exit code; `cwd` is the project's root without it, else the top of a worktree. One that has
   * lost its `.git` is no repository then: git would go up, and take the project for it.
   */
  async run(
    args: readonly string[],
    options: { readonly cwd?: string; readonly env?: object } = {},
  ): Promise<ProgramRun> {
    const { cwd = this.root, env = {} } = options;
    const quiet = ['-c', 'core.quotepath=off', '-c', 'core.fsmonitor=false'];
    const ceiling = cwd === this.root ? {} : { GIT_CEILING_DIRECTORIES: dirname(cwd) };
    return await runProgram('git', [...quiet, ...args], { cwd, env: { ...this.#env, ...ceiling, ...env } });
  }

  /** Its stdout where it succeeds. */
  async ask(
    args: readonly string[],
    options: { readonly cwd?: string; readonly env?: object } = {},
  ): Promise<Result<string, string>> {
    const run = await this.run(args, options);
    return run.code === 0 ? ok(run.stdout) : fail(troubleText(args[0] ?? '', run));
  }

  async succeeds(args: readonly string[]): Promise<boolean> {
    return (await this.run(args)).code === 0;
  }
}

const MAX_REASON_LETTERS = 600;

/** What went wrong, in git's own words. */
export function troubleText(verb: string, { code, stdout, stderr, trouble }: ProgramRun): string {
  if (trouble === 'ENOENT') {
    return 'git was not found. Install it, and start again from where it is on the PATH.';
  }
  const said = (stderr.trim() === '' ? stdout : stderr).trim().replace(/\s*\n\s*/g, ' ');
  const reason = said === '' ? (trouble ?? `exit code ${code ?? 'unknown'}`) : said.slice(0, MAX_REASON_LETTERS);
  return `git ${verb} failed: ${reason}`;
}
