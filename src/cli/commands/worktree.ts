import type { HostApi, Outcome } from '../../core/host/api';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson } from '../json/resultJson';
import { SCHEMA } from '../json/schema';
import { refuse } from '../refuse';
import { mergedText, removedText, worktreeList } from '../text/worktreeText';
import { withHost } from '../withHost';

export interface MergeOptions extends GlobalOptions {
  readonly commit?: true;
}

export interface RemoveOptions extends GlobalOptions {
  readonly discard?: true;
}

/** `rollcall worktree list`: who has one, and what is in it that the project has not. */
export async function listWorktrees(context: CliContext, options: GlobalOptions): Promise<ExitCode> {
  return await tell(context, options, async ({ worktrees }) => worktrees.list(), {
    json: (all) => ({ worktrees: all }),
    text: worktreeList,
  });
}

/** `rollcall worktree diff <name>`: everything that it has more than the project, committed or not. */
export async function diffWorktree(context: CliContext, name: string, options: GlobalOptions): Promise<ExitCode> {
  return await tell(context, options, async ({ worktrees }) => worktrees.diff(name), {
    json: (diff) => diff,
    // As git printed it, so that it can be piped into git apply.
    text: ({ text }) => text.replace(/\n$/, ''),
  });
}

/** `rollcall worktree merge <name> [--commit]`. */
export async function mergeWorktree(context: CliContext, name: string, options: MergeOptions): Promise<ExitCode> {
  const commit = options.commit === true;
  return await tell(context, options, async ({ worktrees }) => worktrees.merge({ name, commit }), {
    json: (merged) => merged,
    text: mergedText,
  });
}

/** `rollcall worktree remove <name> [--discard]`. */
export async function removeWorktree(context: CliContext, name: string, options: RemoveOptions): Promise<ExitCode> {
  const discard = options.discard === true;
  return await tell(context, options, async ({ worktrees }) => worktrees.remove({ name, discard }), {
    json: (removed) => removed,
    text: removedText,
  });
}

interface Wording<T> {
  readonly json: (value: T) => object;
  readonly text: (value: T) => string;
}

async function tell<T>(
  context: CliContext,
  options: GlobalOptions,
  ask: (host: HostApi) => Promise<Outcome<T>>,
  { json, text }: Wording<T>,
): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const outcome = await ask(host);
    if (!outcome.ok) {
      return refuse(context, options, outcome.error);
    }
    const { value } = outcome;
    context.out(options.json === true ? formatJson({ schema: SCHEMA, ...json(value) }) : text(value));
    return 0;
  });
}
