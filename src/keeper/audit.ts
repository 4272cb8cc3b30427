import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Clock } from '../core/base/clock';
import type { Violation } from '../core/protocol/keeper/isolationRecord';
import type { KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { readKeeperRecord } from '../core/protocol/keeper/readKeeperRecord';
import { isTerminal } from '../core/protocol/workers/statusWord';
import { statusWordOf } from '../core/protocol/workers/statusWordOf';
import { STATUS_MAX_BYTES } from '../core/protocol/workers/sizeLimits';
import { readBounded } from '../core/system/boundedRead';
import { joinNotes } from './joinNotes';
import {
  type ProtectedFile,
  type ProtectedFiles,
  type ProtectedPlaces,
  lookAtFile,
  lookAtProtected,
} from './protectedFiles';

/** What an audit found when the run was over. */
export interface AuditResult {
  readonly violations: readonly Violation[];
  /** What it could not see, or null. */
  readonly note: string | null;
}

const MAX_VIOLATIONS = 50;
const MAX_WORKERS = 200;
const MAX_RECORD_BYTES = 256 * 1024;

/** Compares the protected paths before and after a run (workers.md §5). It watches nothing in between. */
export class Audit {
  readonly #places: ProtectedPlaces;
  readonly #clock: Clock;
  readonly #before: ProtectedFiles;

  private constructor(places: ProtectedPlaces, clock: Clock, before: ProtectedFiles) {
    this.#places = places;
    this.#clock = clock;
    this.#before = before;
  }

  /** Looks at everything before the worker starts. Never rejects: what cannot be read is left out. */
  static async begin(spec: Pick<KeeperSpec, 'root' | 'folder'>, clock: Clock): Promise<Audit> {
    const places = await protectedPlaces(spec);
    return new Audit(places, clock, await lookAtProtected(places, clock));
  }

  /** Looks again and tells what changed during the run; names no culprit, because it knows none. */
  async finish(): Promise<AuditResult> {
    const after = await lookAtProtected(this.#places, this.#clock);
    const now = this.#clock.now();
    const found: Violation[] = [];
    for (const [path, old] of this.#before.files) {
      const violation = await this.#compare(path, old, after.files.get(path) ?? null);
      if (violation !== null) {
        found.push(violation);
      }
    }
    for (const [path, file] of after.files) {
      // Where the first look was cut, what it did not reach is not new for that.
      if (!this.#before.cut && !this.#before.files.has(path)) {
        found.push({ path, change: 'added', at: iso(Math.min(file.changedAt, now)) });
      }
    }
    return { violations: found.slice(0, MAX_VIOLATIONS), note: noteOf(found.length, this.#before, after) };
  }

  async #compare(path: string, old: ProtectedFile, seen: ProtectedFile | null): Promise<Violation | null> {
    const file = seen ?? (await lookAtFile(this.#places.root, path));
    if (file === null) {
      // A whole worker's folder that is gone was cleaned up, and that is no worker's doing.
      return isCleanedUp(this.#places.root, path) ? null : { path, change: 'removed', at: iso(this.#clock.now()) };
    }
    const same = file.stat === old.stat || (file.hash !== null && file.hash === old.hash);
    return same ? null : { path, change: 'changed', at: iso(file.changedAt) };
  }
}

const WORKERS = '.keysarium/workers';

async function protectedPlaces({ root, folder }: Pick<KeeperSpec, 'root' | 'folder'>): Promise<ProtectedPlaces> {
  const others = await settledWorkers(dirname(folder), basename(folder));
  return {
    root,
    places: [
      'CLAUDE.md',
      '.claude',
      'researches',
      'features',
      ...others.map((other) => relative(root, other).split(sep).join('/')),
    ],
    except: ['.claude/session'],
  };
}

/** The other workers' folders that nobody has a reason to write to any more; a running worker writes to its own. */
async function settledWorkers(workersDir: string, own: string): Promise<readonly string[]> {
  const entries = await readdir(workersDir, { withFileTypes: true }).catch(() => []);
  const others = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith('wkr-') && entry.name !== own);
  const newestFirst = others.map((entry) => join(workersDir, entry.name)).sort((a, b) => (a < b ? 1 : -1));
  const settled = await Promise.all(
    newestFirst.slice(0, MAX_WORKERS).map(async (other) => ((await isSettled(other)) ? [other] : [])),
  );
  return settled.flat();
}

async function isSettled(folder: string): Promise<boolean> {
  const status = await readBounded(join(folder, 'status.json'), STATUS_MAX_BYTES);
  const word = status.kind === 'ok' ? statusWordOf(status.text) : null;
  if (word === null || !isTerminal(word)) {
    return false;
  }
  const keeper = await readBounded(join(folder, 'keeper.json'), MAX_RECORD_BYTES);
  return keeper.kind === 'absent' || (keeper.kind === 'ok' && hasEnded(keeper.text));
}

function hasEnded(text: string): boolean {
  const last = readKeeperRecord(text)?.attempts.at(-1);
  return last !== undefined && last.exit !== null;
}

function isCleanedUp(root: string, path: string): boolean {
  const worker = /^(.+\/wkr-[^/]+)\//.exec(path)?.[1];
  return worker?.startsWith(WORKERS) === true && !existsSync(join(root, worker));
}

function noteOf(found: number, before: ProtectedFiles, after: ProtectedFiles): string | null {
  return joinNotes(
    found > MAX_VIOLATIONS ? `${found} protected paths changed; the first ${MAX_VIOLATIONS} are listed` : null,
    before.cut || after.cut ? `only the first ${before.files.size} protected files could be compared` : null,
  );
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
