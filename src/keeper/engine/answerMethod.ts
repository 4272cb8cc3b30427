import { plainRecord } from '../../core/protocol/workers/plainRecord';
import type { AnswerRecord, RequestAnswer } from '../../core/protocol/engines/keptEngine';
import { ControlError } from '../../core/system/controlMessage';
import type { ControlMethod } from '../../core/system/controlServer';

/** The keeper's method `answer` (control.ts). What `give` throws goes to the caller. */
export function answerMethod(give: (answer: RequestAnswer) => Promise<AnswerRecord>): ControlMethod {
  return async (params, { epoch }) => {
    if (epoch === 0) {
      throw new ControlError({
        code: 'not-leader',
        message: 'Only the process that leads may answer for a person; ask that one.',
      });
    }
    return await give(readAnswer(params));
  };
}

function readAnswer(params: unknown): RequestAnswer {
  const { requestId, allow, text, by } = plainRecord(params) ?? {};
  const isTextSound = text === null || typeof text === 'string';
  if (typeof requestId !== 'string' || typeof allow !== 'boolean' || typeof by !== 'string' || !isTextSound) {
    throw new ControlError({ code: 'bad-request', message: 'An answer needs requestId, allow, text and by.' });
  }
  return { requestId, allow, text, by };
}
