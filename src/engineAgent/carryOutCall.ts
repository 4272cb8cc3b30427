import { errorText } from '../core/base/errorText';
import type { EngineCall } from '../core/engines/engineAgentJob';
import { callTroubleLine } from '../core/protocol/actors/callTrouble';
import type { EngineTurnEnd } from '../core/protocol/actors/engineTurnReplies';
import { readCallMessage, responseTrouble, writeCallResponse } from './callFiles';
import type { EngineTurns } from './engineTurns';

/**
 * Runs the engine once with the message file's text and puts its answer into the response file (actors.md §4). Gives the
 * exit code: 0 only once the answer is there, else the program's, or 1; then a line that says why was printed.
 */
export async function carryOutCall(
  call: EngineCall,
  turns: Pick<EngineTurns, 'run'>,
  print: (text: string) => void,
): Promise<number> {
  const failed = (reason: string, code = 1): number => {
    print(callTroubleLine(reason));
    return code;
  };
  const message = await readCallMessage(call);
  if (!message.ok) {
    return failed(message.error);
  }
  // A run is not spent on an answer that has no place.
  const trouble = await responseTrouble(call);
  if (trouble !== null) {
    return failed(trouble);
  }
  // A rate limit is an answer here: somebody waits for it.
  const end = await turns
    .run(() => message.value)
    .catch((error: unknown): EngineTurnEnd => ({ kind: 'failed', reason: errorText(error) }));
  if (end?.kind !== 'done') {
    return failed(end?.reason ?? 'It was interrupted. Send it again.', end?.exitCode);
  }
  const unwritten = await writeCallResponse(call, end.text);
  return unwritten === null ? 0 : failed(unwritten);
}
