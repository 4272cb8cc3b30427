import type { Outcome, SessionAccepted } from '../../../core/host/api';
import type { Surface } from '../../surface';
import type { CommandOutcome } from '../registerCommand';

/** Notes in the log what was done, or gives the refusal to show. */
export function finish({ log }: Surface, outcome: Outcome<SessionAccepted>): CommandOutcome {
  if (!outcome.ok) {
    return outcome.error;
  }
  log.info(outcome.value.message);
  return undefined;
}
