import type { FleetSnapshot, WorkerSnapshot } from '../../core/protocol/snapshot';
import { blownFuses } from '../../core/presenter/blownFuses';
import { usedToday } from '../../core/presenter/engineWords';
import { terminalReader } from '../text/terminalReader';
import { evidenceJson } from './evidenceJson';
import { iso, queuedStartJson, scheduleJson } from './planJson';
import { SCHEMA } from './schema';
import { fuseJson } from './fuseJson';
import { agentsJson } from './sessionJson';

/**
 * `status --json` of surfaces.md: protocol keys keep their names and order, ours are camelCase. Instants are ISO 8601
 * UTC, ages whole seconds.
 */
export function statusJson(snapshot: FleetSnapshot): object {
  const { at, root, leader, maxConcurrent, workers, problems, queue, schedules, suggestions } = snapshot;
  return {
    schema: SCHEMA,
    at: new Date(at).toISOString(),
    root,
    leader: leader === null ? null : { pid: leader.pid, surface: leader.surface, since: leader.since },
    maxConcurrent,
    workers: workers.map((worker) => workerJson(worker, at)),
    queue: queue.map(queuedStartJson),
    agents: agentsJson(snapshot.session?.agents ?? [], at),
    problems,
    fuses: blownFuses(snapshot).map(fuseJson),
    schedules: schedules.map(scheduleJson),
    suggestions,
    diagnostics: snapshot.configDiagnostics,
    usedToday: usedToday([snapshot], terminalReader(at)),
  };
}

function workerJson(worker: WorkerSnapshot, at: number): object {
  const { entry, progress, error, state, health, attention, lastSeenAt, nextStartAt, canRetry } = worker;
  const { pid, exit, isolation, engine, problem, outputs } = worker;
  const { extra, ...protocolKeys } = entry;
  return {
    ...protocolKeys,
    progress,
    error,
    state,
    health,
    attention,
    lastSeen: iso(lastSeenAt),
    nextStartAt: iso(nextStartAt),
    canRetry,
    pid,
    exit,
    isolation,
    engine,
    evidence: worker.evidence.map((evidence) => evidenceJson(evidence, at)),
    problem,
    outputs,
    extra,
  };
}
