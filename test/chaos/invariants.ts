import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EventSequence } from '../../src/core/eventlog/eventSequence';
import { type EventLine, readEventLine } from '../../src/core/protocol/events/eventLine';
import { readRegistryDocument } from '../../src/core/protocol/workers/registryDocument';
import { markedProcesses } from './chaosProcesses';
import type { ChaosWorld } from './chaosWorld';

/** Everything that does not hold in a world that has come to rest, in sentences. */
export function brokenInvariants(world: ChaosWorld): readonly string[] {
  return [
    ...orphans(world),
    ...doubleStarts(world),
    ...exits(world),
    ...brokenLogs(world),
    ...registryFaults(world),
    ...litter(world),
    ...eventFaults(world),
  ];
}

function orphans(world: ChaosWorld): readonly string[] {
  const ours = new Set(world.openWindows.map(({ pid }) => pid));
  return markedProcesses(world.mark)
    .filter(({ pid }) => !ours.has(pid))
    .map(({ pid, command, workerId }) => `orphan ${pid} (${workerId ?? 'no worker'}): ${command}`);
}

function doubleStarts({ startsDir }: ChaosWorld): readonly string[] {
  return readdirSync(startsDir).flatMap((workerId) => {
    const starts = readFileSync(join(startsDir, workerId), 'utf8').split('\n').length - 1;
    return starts > 1 ? [`${workerId} was started ${starts} times`] : [];
  });
}

function exits(world: ChaosWorld): readonly string[] {
  return world.workerIds().flatMap((workerId) => {
    const record = world.record(workerId);
    if (record === null) {
      return world.started.has(workerId) && !world.damaged.has(workerId) ? [`${workerId} has no readable record`] : [];
    }
    const ended = record.attempts.filter(({ exit }) => exit !== null).length;
    return record.attempts.length > 1 || ended > 1
      ? [`${workerId} has ${record.attempts.length} attempts, ${ended} exits`]
      : [];
  });
}

function brokenLogs(world: ChaosWorld): readonly string[] {
  return world
    .workerIds()
    .filter((workerId) => !world.damaged.has(workerId))
    .flatMap((workerId) => {
      const numbers = loggedNumbers(join(world.workersDir, workerId));
      const wrong = numbers.findIndex((number, index) => number !== index + 1);
      return wrong < 0 ? [] : [`the log of ${workerId} says ${numbers[wrong]} where ${wrong + 1} is due`];
    });
}

function loggedNumbers(folder: string): readonly number[] {
  const files = readdirSync(folder).filter((name) => name.startsWith('worker.log'));
  const oldestFirst = files.sort((a, b) => Number(b.slice(11)) - Number(a.slice(11)));
  const text = oldestFirst.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  return [...text.matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));
}

function registryFaults(world: ChaosWorld): readonly string[] {
  const path = join(world.workersDir, 'registry.json');
  if (!existsSync(path)) {
    return ['there is no registry'];
  }
  const reading = readRegistryDocument(readFileSync(path, 'utf8'));
  if (reading.kind !== 'ok') {
    return [`the registry is ${reading.kind}`];
  }
  const { rows } = reading.document;
  const entries = rows.flatMap((row) => (row.kind === 'entry' ? [row.entry] : []));
  const ids = entries.map((entry) => entry.worker_id);
  const lost = [...world.started].filter((id) => !ids.includes(id) && !world.damaged.has(id));
  const again = entries.filter(({ extra }) => world.stopped.has(String(extra['retry_of'])));
  return [
    ...(rows.length === entries.length ? [] : ['the registry has bad rows']),
    ...(new Set(ids).size === ids.length ? [] : ['the registry names a worker twice']),
    ...lost.map((id) => `${id} was accepted and is in no registry`),
    ...again.map(({ worker_id }) => `${worker_id} was started in place of one that had been stopped`),
  ];
}

/** Temporary files, staged files and locks that nobody holds any more. */
function litter({ workersDir }: ChaosWorld): readonly string[] {
  const names = readdirSync(workersDir, { recursive: true }).map(String);
  return names.filter((name) => /\.tmp$|\.next$|\.lock(\.|$)/.test(name)).map((name) => `litter: ${name}`);
}

/** The log of events has every number once, and each exit that a keeper recorded. */
function eventFaults(world: ChaosWorld): readonly string[] {
  const lines: EventLine[] = [];
  const sequence = new EventSequence({ after: { seq: 0, epoch: 0 }, batchLines: 1 }, (line) => {
    lines.push(line);
  });
  for (const line of eventLog(world).trimEnd().split('\n').map(readEventLine)) {
    if (line !== null) {
      sequence.push(line);
    }
  }
  sequence.end();
  const { missing } = sequence.faults;
  return [...(missing === 0 ? [] : [`the log of events lacks ${missing} numbers`]), ...exitEventFaults(world, lines)];
}

/** The closed segments, oldest first, and the one that grows. */
function eventLog({ workersDir }: ChaosWorld): string {
  const closedDir = join(workersDir, 'events');
  const closed = existsSync(closedDir) ? readdirSync(closedDir).filter((name) => name.endsWith('.jsonl')) : [];
  const files = [...closed.sort().map((name) => join(closedDir, name)), join(workersDir, 'events.jsonl')];
  return files.map((file) => readFileSync(file, 'utf8')).join('');
}

function exitEventFaults(world: ChaosWorld, lines: readonly EventLine[]): readonly string[] {
  const told = lines.filter(({ type }) => type === 'WorkerExited').map(({ data }) => data['worker']);
  return world
    .workerIds()
    .filter(
      (workerId) => !world.damaged.has(workerId) && (world.record(workerId)?.attempts.at(-1)?.exit ?? null) !== null,
    )
    .flatMap((workerId) => {
      const times = told.filter((worker) => worker === workerId).length;
      return times === 1 ? [] : [`the log of events has the exit of ${workerId} ${times} times`];
    });
}
