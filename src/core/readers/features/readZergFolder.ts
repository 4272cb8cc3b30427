import { join } from 'node:path';
import type {
  FeatureSources,
  FeatureFile,
  HeartbeatFile,
  StateFile,
  WorkerLogFile,
} from '../../protocol/features/featureSources';
import { readHeartbeat } from '../../protocol/features/heartbeat';
import { isFeatureName } from '../../protocol/features/reservedNames';
import { readState, type StateReading } from '../../protocol/features/readState';
import { readEscalations, readTokens, readWorkerProgress } from '../../protocol/features/sideFiles';
import type { RunEvent } from '../../protocol/features/stateDocument';
import { readEventLines } from '../../protocol/features/workerLog';
import { workerKey } from '../../protocol/features/workerKey';
import { confinedPath } from '../../system/safePath';
import type { FileTeller } from './fileTeller';
import { joined } from './logMemory';
import { namesBelow, type ZergHome } from './projectPlaces';

const STATE_MAX_BYTES = 16 * 1024 * 1024;
const SMALL_MAX_BYTES = 512 * 1024;

/** What lies in one `.zerg`. */
export type ZergFiles = Pick<
  FeatureSources,
  'states' | 'eventLogs' | 'heartbeats' | 'workerProgress' | 'tokens' | 'escalations' | 'workerLogs'
>;

/** Reads the `.zerg` of the project or of a worktree. */
export async function readZergFolder(files: FileTeller, home: ZergHome): Promise<ZergFiles> {
  const state = join('.zerg', 'state');
  const workerLogs = join('.zerg', 'logs', 'workers');
  const confined = await confinedPath(home.folder, '.zerg');
  if (!confined.ok) {
    files.note(confined.error);
  }
  const [outer, inner, logs] = await Promise.all([
    namesBelow(home.folder, '.zerg'),
    namesBelow(home.folder, state),
    namesBelow(home.folder, workerLogs),
  ]);
  if (confined.ok && inner.length === 0) {
    await files.noteUnlisted(join(home.folder, outer.length === 0 ? '.zerg' : state));
  }
  const place: Place = { files, home, folder: join(home.folder, state), names: inner };
  const old: Place = { files, home, folder: join(home.folder, '.zerg'), names: outer };
  const [states, legacy, eventLogs, heartbeats, oldHeartbeats, workerProgress, tokens, escalations, activity] =
    await Promise.all([
      readStates(place),
      readLegacyState(old),
      readEventLogs(place),
      readHeartbeats(place),
      readHeartbeats(old),
      readNumbered(place, 'progress', readWorkerProgress),
      readNumbered(place, 'tokens', readTokens),
      readNamed(place, /^(escalations)\.json$/, { maxBytes: SMALL_MAX_BYTES, parse: readEscalations }),
      readWorkerLogs({ ...place, folder: join(home.folder, workerLogs), names: logs }),
    ]);
  return {
    states: [...states, ...legacy],
    eventLogs,
    heartbeats: [...heartbeats, ...oldHeartbeats],
    workerProgress,
    tokens,
    escalations,
    workerLogs: activity,
  };
}

/** A listed folder of one home. */
interface Place {
  readonly files: FileTeller;
  readonly home: ZergHome;
  readonly folder: string;
  readonly names: readonly string[];
}

async function readStates({ files, home, folder, names }: Place): Promise<readonly StateFile[]> {
  const found = names.flatMap((name) => /^([^.].*)\.json$/s.exec(name)?.[1] ?? []).filter(isFeatureName);
  // A worktree is a checkout and may hold old states of other features.
  const own = found.filter((name) => home.worktreeOf === null || name === home.worktreeOf);
  const states = own.map(async (feature) =>
    readStateFile(files, join(folder, `${feature}.json`), {
      feature,
      inWorktree: home.worktreeOf !== null,
      legacy: false,
    }),
  );
  return (await Promise.all(states)).flat();
}

async function readLegacyState({ files, home, folder, names }: Place): Promise<readonly StateFile[]> {
  const { worktreeOf } = home;
  const path = join(folder, 'state.json');
  const states = names.includes('state.json')
    ? await readStateFile(files, path, { feature: worktreeOf, inWorktree: worktreeOf !== null, legacy: true })
    : [];
  // In a worktree it may be a checkout's old state of another feature.
  return states.filter(({ value }) => worktreeOf === null || (value?.feature ?? worktreeOf) === worktreeOf);
}

/** A state, else its backup, which is one write older; the backup alone is what is left of a run that was removed. */
async function readStateFile(
  files: FileTeller,
  path: string,
  { legacy, ...about }: Pick<StateFile, 'feature' | 'inWorktree'> & { readonly legacy: boolean },
): Promise<readonly StateFile[]> {
  const parse = (text: string): StateReading | null => readableState(text, legacy);
  const reading = await files.look({ path, maxBytes: STATE_MAX_BYTES, parse });
  if (reading.kind !== 'unreadable') {
    return reading.kind === 'ok' ? stateFile(reading.value, files.shown(path), about) : [];
  }
  const backup = await files.look({ path: `${path}.bak`, maxBytes: STATE_MAX_BYTES, parse });
  const recovered = backup.kind === 'ok' && backup.value.kind === 'state';
  files.note(`${files.shown(path)}: unreadable (${reading.reason})${recovered ? '; recovered from .bak' : ''}`);
  return recovered
    ? stateFile(backup.value, files.shown(`${path}.bak`), about)
    : [{ ...about, path: files.shown(path), value: null }];
}

function readableState(text: string, legacy: boolean): StateReading | null {
  const reading = readState(text, legacy);
  return reading.kind === 'unreadable' ? null : reading;
}

function stateFile(
  reading: StateReading,
  path: string,
  about: Pick<StateFile, 'feature' | 'inWorktree'>,
): readonly StateFile[] {
  return reading.kind === 'state' ? [{ ...about, path, value: reading.document }] : [];
}

async function readEventLogs(place: Place): Promise<readonly FeatureFile<readonly RunEvent[]>[]> {
  const read = { maxBytes: STATE_MAX_BYTES, parse: readEventLines };
  return (await readNamed(place, /^([^.].*)-events\.jsonl$/s, read)).map(({ nameId, ...file }) => ({
    ...file,
    feature: nameId,
  }));
}

async function readHeartbeats(place: Place): Promise<readonly HeartbeatFile[]> {
  const { worktreeOf } = place.home;
  return (await readNumbered(place, 'heartbeat', readHeartbeat)).map((file) => ({ ...file, worktreeOf }));
}

interface NumberedFile<T> {
  readonly path: string;
  readonly value: T | null;
  readonly mtimeMs: number;
  readonly nameId: string;
}

/** The files `{kind}-{id}.json`. */
async function readNumbered<T>(
  place: Place,
  kind: string,
  parse: (text: string, nameId: string) => T | null,
): Promise<readonly NumberedFile<T>[]> {
  return await readNamed(place, new RegExp(`^${kind}-(.+)\\.json$`), { maxBytes: SMALL_MAX_BYTES, parse });
}

interface ReadOrder<T> {
  readonly maxBytes: number;
  readonly parse: (text: string, nameId: string) => T | null;
}

/** The files whose name fits; what the pattern captures goes to the parser. */
async function readNamed<T>(
  { files, folder, names }: Place,
  pattern: RegExp,
  { maxBytes, parse }: ReadOrder<T>,
): Promise<readonly NumberedFile<T>[]> {
  const told = names.map(async (name) => {
    const nameId = pattern.exec(name)?.[1];
    if (nameId === undefined) {
      return [];
    }
    const file = await files.tell({ path: join(folder, name), maxBytes, parse: (text) => parse(text, nameId) });
    return file === null ? [] : [{ ...file, nameId }];
  });
  return (await Promise.all(told)).flat();
}

/** Each worker's log with the one before its last turn. */
async function readWorkerLogs({ files, folder, names }: Place): Promise<readonly WorkerLogFile[]> {
  const logs = names.map(async (name) => {
    const worker = workerKey(/^worker-(\w+)\.jsonl(?:\.1)?$/.exec(name)?.[1]);
    return worker === null ? [] : [{ worker, activity: await files.logActivity(join(folder, name)) }];
  });
  const found = (await Promise.all(logs)).flat();
  const workers = [...new Set(found.map(({ worker }) => worker))];
  return workers.map((worker) => ({
    worker,
    activity: found
      .filter((log) => log.worker === worker)
      .map(({ activity }) => activity)
      .reduce(joined),
  }));
}
