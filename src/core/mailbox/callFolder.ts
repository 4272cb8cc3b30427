import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok, type Result } from '../base/result';
import { errorText } from '../base/errorText';
import type { CallMoment } from '../protocol/actors/sessionMoment';
import { keeperClaim } from '../protocol/keeper/keeperClaim';
import { createExclusive } from '../system/atomicFile';
import { ownIdentity } from '../system/processIdentity';
import { confinedPath } from '../system/safePath';
import type { AgentPaths } from './sessionPaths';

const NAME = /^call-[0-9a-f]{16}$/;

/** The folder of one call of an agent; absolute, and the same for every leader. */
export interface CallFolder {
  /** Also the name that its keeper knows it by. */
  readonly name: string;
  readonly folder: string;
  readonly logFile: string;
}

/** Where the call with this number is kept. Its name comes from its line in the log, of which no other call has the like. */
export function callFolderIn({ folder: agentFolder }: AgentPaths, seq: number, call: CallMoment): CallFolder {
  const { message, sentAt } = call;
  const digest = createHash('sha256')
    .update(`${String(seq)}\0${sentAt}\0${message.id}`)
    .digest('hex');
  const name = `call-${digest.slice(0, 16)}`;
  const folder = join(agentFolder, 'calls', name);
  return { name, folder, logFile: join(folder, 'worker.log') };
}

/** Who claims a call. */
export interface CallClaim {
  /** Absolute project root: no folder may lead out of it. */
  readonly root: string;
  readonly nonce: string;
  /** ISO 8601 UTC. */
  readonly at: string;
}

/**
 * Makes the call ours to start, by a keeper.json that names this process. False where another leader claimed it before:
 * so it is started at most once, whoever else is still alive. The error is one sentence.
 */
export async function claimCall({ name, folder }: CallFolder, claim: CallClaim): Promise<Result<boolean, string>> {
  const { root, nonce, at } = claim;
  try {
    await mkdir(folder, { recursive: true });
    const confined = await confinedPath(root, folder.slice(root.length + 1));
    if (!confined.ok) {
      return fail(`${confined.error} Replace the link by a real folder.`);
    }
    const record = keeperClaim({ workerId: name, nonce, starter: await ownIdentity(), at });
    return ok(await createExclusive(join(folder, 'keeper.json'), `${JSON.stringify(record)}\n`));
  } catch (error) {
    return fail(
      `The folder of the call cannot be made: ${errorText(error)}. Make ${folder} writable and send it again.`,
    );
  }
}

/** Has a keeper that comes late end at once what it starts. */
export async function forbidCall({ folder }: CallFolder): Promise<void> {
  // Where the disk takes no flag the keeper's own time limit is what is left.
  await createExclusive(join(folder, 'stop-requested'), '').catch(() => false);
}

/**
 * Removes the folders of earlier calls of the agent, but for those that live; gives how many do. Nothing behind a link is
 * touched, and what resists stays.
 */
export async function removeCalls(
  root: string,
  paths: AgentPaths,
  lives: (folder: string) => Promise<boolean>,
): Promise<number> {
  const dir = join(paths.folder, 'calls');
  const confined = await confinedPath(root, dir.slice(root.length + 1));
  const names = confined.ok ? await readdir(dir).catch(() => []) : [];
  let left = 0;
  for (const folder of names.filter((name) => NAME.test(name)).map((name) => join(dir, name))) {
    if (await lives(folder)) {
      left += 1;
    } else {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
  return left;
}
