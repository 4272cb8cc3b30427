import { spawn } from 'node:child_process';
import { parse } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock';
import { errorText } from '../base/errorText';
import type { KeeperReady, KeeperSpec } from '../protocol/keeper/keeperSpec';

/** A keeper answers in well under a second; a machine under heavy load gets this long, milliseconds. */
const READY_TIMEOUT_MS = 20_000;
const ANSWER_MAX_CHARS = 64 * 1024;

/** How a keeper is run on this machine. */
export interface KeeperProgram {
  /** Absolute path of a Node, or of an Electron that can act as one. */
  readonly nodePath: string;
  /** Absolute path of dist/keeper.js. */
  readonly keeperScript: string;
  /** The keeper's own environment, already clean; the worker's is in the spec. */
  readonly env: Readonly<Record<string, string>>;
}

export interface KeeperLaunch extends KeeperProgram {
  readonly spec: KeeperSpec;
  readonly clock: Clock;
  /** Default 20 s. */
  readonly timeoutMs?: number;
}

/**
 * Starts a keeper that outlives this process (lifecycle §1) and resolves with its one line of answer. Whatever goes
 * wrong is an answer as well (`ready: false`), ending in what the person can do; it never rejects. A keeper that gives
 * no answer in time is ended, so that none starts its worker after it was reported as failed.
 */
export async function launchKeeper(launch: KeeperLaunch): Promise<KeeperReady> {
  try {
    return await answerOf(launch);
  } catch (error) {
    return refused(`The keeper could not be started: ${errorText(error)}.`);
  }
}

async function answerOf(launch: KeeperLaunch): Promise<KeeperReady> {
  return await new Promise((resolve, reject) => {
    const { clock, timeoutMs = READY_TIMEOUT_MS } = launch;
    const child = spawnKeeper(launch);
    const timer = clock.schedule(timeoutMs, () => {
      child.kill('SIGKILL');
      letGo(child);
      resolve(refused(`The keeper did not answer within ${Math.round(timeoutMs / 1000)} s.`));
    });
    child.once('error', (error) => {
      timer.dispose();
      reject(error);
    });
    void firstLine(child.stdout).then((line) => {
      timer.dispose();
      letGo(child);
      resolve(line === null ? refused('The keeper ended before it was ready.') : parseReady(line));
    });
    child.stdin.on('error', () => {
      // It ended before it read its spec; the end of its stdout tells the story.
    });
    child.stdin.end(`${JSON.stringify(launch.spec)}\n`);
  });
}

type KeeperProcess = ReturnType<typeof spawnKeeper>;

function spawnKeeper({ nodePath, keeperScript, spec, env }: KeeperLaunch) {
  return spawn(nodePath, [keeperScript], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    // The top of the volume: a keeper must not keep a folder busy that somebody wants to remove or unmount.
    cwd: parse(spec.root).root,
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
    windowsHide: true,
  });
}

/** From here on nothing ties the two processes together. */
function letGo(child: KeeperProcess): void {
  child.stdin.destroy();
  child.stdout.destroy();
  child.unref();
}

/** The first line, or null when the stream ended or overflowed without one. */
async function firstLine(stream: Readable): Promise<string | null> {
  return await new Promise((resolve) => {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end >= 0 || text.length > ANSWER_MAX_CHARS) {
        resolve(end >= 0 ? text.slice(0, end) : null);
      }
    });
    stream.once('close', () => {
      resolve(null);
    });
  });
}

/** The keeper's answer; anything else is an answer of a broken installation. */
function parseReady(line: string): KeeperReady {
  try {
    const value: unknown = JSON.parse(line);
    if (isReady(value)) {
      return value;
    }
  } catch {
    // Not JSON is one way of not being an answer.
  }
  return refused('The keeper gave an answer that is not understood.');
}

function isReady(value: unknown): value is KeeperReady {
  if (typeof value !== 'object' || value === null || !('ready' in value)) {
    return false;
  }
  return value.ready === true
    ? 'endpoint' in value && typeof value.endpoint === 'string' && 'process' in value
    : value.ready === false && 'message' in value && typeof value.message === 'string';
}

function refused(what: string): KeeperReady {
  return { ready: false, message: `${what} Try again; if it stays so, reinstall Rollcall and look at its log.` };
}
