import { fail, ok, type Result } from '../base/result';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { ensureWorktree, findWorktree } from '../worktrees/worktreeStore';
import type { OpenCommand, Outcome, Refusal } from './api';
import type { CallerEnv, HostContext } from './hostContext';

/**
 * The command that opens a worker's session in the engine's own terminal UI, from the project's root. Two programs in one
 * session would write over each other, so it is refused while the worker's own runs.
 */
export async function openCommandOf(
  worker: WorkerSnapshot,
  { engines, root, git, trusted }: Pick<HostContext, 'engines' | 'root' | 'git' | 'trusted'>,
  env: CallerEnv,
): Promise<Outcome<OpenCommand>> {
  const { workerId, engine, state, endedAt } = worker;
  if (!trusted) {
    return refuse('untrusted', 'Nothing is started in an untrusted workspace. Trust this workspace first.');
  }
  const sessionId = engine?.sessionId ?? null;
  if (engine === null || sessionId === null) {
    return refuse('wrong-state', `Worker ${workerId} has no session that could be opened. Read its log.`);
  }
  if (endedAt === null && state !== 'parked') {
    return refuse('wrong-state', `Worker ${workerId} still works in its session. Stop it, or wait for its end.`);
  }
  const command = (await engines.engineNamed(engine.name, env))?.openCommandOf?.(sessionId);
  if (command === undefined) {
    return refuse(
      'engine',
      `The engine ${engine.name} of worker ${workerId} is not found here. See \`rollcall doctor\`.`,
    );
  }
  const cwd = await workedIn(worker, { root, git });
  return cwd.ok ? ok({ workerId, command, cwd: cwd.value }) : refuse('wrong-state', cwd.error);
}

/** Where its program ran: an engine finds a session only from there. */
async function workedIn(
  { workerId, isolation }: WorkerSnapshot,
  { root, git }: Pick<HostContext, 'root' | 'git'>,
): Promise<Result<string, string>> {
  if (isolation?.level !== 'worktree') {
    return ok(root);
  }
  const found = await findWorktree(git, workerId);
  if (!found.ok || found.value.path === null) {
    return fail(`The worktree of worker ${workerId} was removed, and its session with it. Read its log.`);
  }
  const placed = await ensureWorktree(git, workerId);
  return placed.ok ? ok(placed.value.cwd) : placed;
}

function refuse(code: Refusal['code'], message: string): { readonly ok: false; readonly error: Refusal } {
  return fail({ code, message });
}
