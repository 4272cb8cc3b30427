import { fail, ok } from '../base/result';
import type { AskRecord } from '../protocol/engines/keptEngine';
import type { WorkerSnapshot } from '../protocol/snapshot';
import { entriesOf } from '../protocol/workers/registryDocument';
import { notFoundText } from '../protocol/workers/workerTexts';
import { ControlError } from '../system/controlMessage';
import type { AnswerRequest, Outcome, Refusal, RequestAnswered } from './api';
import type { StopContext } from './stopWorker';

/** An answer for one request of one worker. */
export type AnswerOrder = Omit<AnswerRequest, 'worker' | 'requestId'> & {
  readonly workerId: string;
  readonly requestId: string;
};

/**
 * The request that an answer is for: the one that it names, or the oldest of the worker. A question wants a text, and
 * a refusal says what the person can do.
 */
export function answerOrder(
  { worker, ...request }: AnswerRequest,
  { workerId, engine }: WorkerSnapshot,
): Outcome<AnswerOrder> {
  const asks = engine?.asks ?? [];
  const ask = request.requestId === undefined ? asks[0] : asks.find(({ requestId }) => requestId === request.requestId);
  if (ask === undefined) {
    const message = `Worker ${worker} waits for no such answer: it was answered, denied by time-out, or the worker ended.`;
    return refuse({ code: 'wrong-state', message });
  }
  const wanting = wantingOf(ask, request);
  return wanting === null ? ok({ ...request, workerId, requestId: ask.requestId }) : refuse(wanting);
}

function wantingOf(
  { isQuestion, text: asked, choices }: AskRecord,
  { allow, text }: Pick<AnswerRequest, 'allow' | 'text'>,
): Refusal | null {
  if (!isQuestion || !allow || (text ?? '').trim() !== '') {
    return null;
  }
  const among = choices.length === 0 ? '' : ` Choices: ${choices.join(', ')}.`;
  return { code: 'wrong-state', message: `It asks: ${asked}${among} Give the answer as text.` };
}

/** Hands the answer to the worker's keeper. Only in the process that leads, with its epoch. */
export async function answerWorker(order: AnswerOrder, context: StopContext): Promise<Outcome<RequestAnswered>> {
  const { host, supervisor, epoch } = context;
  const { workerId, requestId, allow, text, requestedBy: by } = order;
  const reading = await host.registry.read();
  const entries = reading.kind === 'ok' ? entriesOf(reading.document) : [];
  const entry = entries.find((candidate) => candidate.worker_id === workerId);
  if (entry === undefined) {
    return refuse({ code: 'not-found', message: notFoundText(workerId) });
  }
  try {
    const answer = { requestId, allow, text, by };
    const given = await supervisor.answer({ facts: await host.fleet.factsOf(entry), epoch, answer });
    const message = `${given.allow ? 'Answered' : 'Denied'}: ${given.tool} of worker ${workerId}.`;
    return ok({ workerId, requestId, message });
  } catch (error) {
    if (error instanceof ControlError) {
      return refuse({ code: 'wrong-state', message: error.message });
    }
    throw error;
  }
}

function refuse(refusal: Refusal): { readonly ok: false; readonly error: Refusal } {
  return fail(refusal);
}
