import { join } from 'node:path';
import { fail, ok } from '../base/result';
import { entriesOf } from '../protocol/workers/registryDocument';
import type { RegistryEntry } from '../protocol/workers/registryEntry';
import { parseTimestamp } from '../protocol/workers/timestamp';
import { outputDirOf } from '../protocol/workers/workerId';
import { notFoundText } from '../protocol/workers/workerTexts';
import type { WorkerSnapshot } from '../protocol/snapshot';
import type { Outcome, Refusal, StartedWorker, StartRequest } from './api';
import type { HostContext } from './hostContext';
import {
  isolationFor,
  type IsolatedPlan,
  keeperSpec,
  launch,
  planStart,
  type StartContext,
  workplaceOf,
} from './startWorker';

/**
 * Lets a parked worker go on under its own id: the same engine is started again with the session that it had, or with
 * the whole task where it had none (lifecycle §4). Whether it still is parked is asked of its files just before; of two who
 * wake it at once one finds the other's keeper and starts nothing.
 */
export async function wakeWorker(workerId: string, context: StartContext): Promise<Outcome<StartedWorker>> {
  const found = await parkedWorker(workerId, context.host);
  if (!found.ok) {
    return found;
  }
  const { entry, engine } = found.value;
  const plan = await planAgain(found.value, context);
  if (!plan.ok) {
    return plan;
  }
  const { workersDir } = context.host;
  const claimed = { workerId, folder: join(workersDir, workerId), startedAt: parseTimestamp(entry.started_at) ?? 0 };
  const place = await workplaceOf(plan.value, workerId, context.host);
  if (!place.ok) {
    return fail<Refusal>({ code: 'spawn-failed', message: place.error });
  }
  const resume = engine?.sessionId ?? null;
  const spec = await keeperSpec(plan.value, claimed, context, { workplace: place.value, resume });
  const failure = await launch(spec, context.supervisor);
  return failure === null ? ok(goingOn(entry)) : fail<Refusal>({ code: 'spawn-failed', message: failure });
}

async function parkedWorker(workerId: string, { registry, fleet }: HostContext): Promise<Outcome<WorkerSnapshot>> {
  const reading = await registry.read();
  const entries = reading.kind === 'ok' ? entriesOf(reading.document) : [];
  const entry = entries.find((candidate) => candidate.worker_id === workerId);
  if (entry === undefined) {
    return fail<Refusal>({ code: 'not-found', message: notFoundText(workerId) });
  }
  const worker = await fleet.shown(entry, entries);
  return worker.state === 'parked'
    ? ok(worker)
    : fail<Refusal>({ code: 'wrong-state', message: `Worker ${workerId} is not parked (state: ${worker.state}).` });
}

/** The engine and the isolation that it had before, whatever is configured by now. */
async function planAgain(
  { entry, engine, isolation }: WorkerSnapshot,
  context: StartContext,
): Promise<Outcome<IsolatedPlan>> {
  const request: StartRequest = {
    type: entry.type,
    requestedBy: context.host.surface,
    ...(engine === null ? {} : { engine: engine.name }),
    ...(isolation === null ? {} : { isolation: isolation.level }),
  };
  const plan = await planStart(request, context.host, context.env);
  const isolated = plan.ok ? await isolationFor(plan.value, request, context) : plan;
  return plan.ok && isolated.ok ? ok({ ...plan.value, isolation: isolated.value }) : refused(plan, isolated);
}

function refused(...outcomes: readonly Outcome<unknown>[]): Outcome<never> {
  const refusal = outcomes.find((outcome) => !outcome.ok);
  return refusal ?? fail({ code: 'failed', message: 'The worker cannot go on. Start a new one.' });
}

function goingOn({ worker_id: workerId, type, model }: RegistryEntry): StartedWorker {
  const message = `Worker ${workerId} goes on.`;
  return { workerId, type, model, outputDir: outputDirOf(workerId), status: 'running', message };
}
