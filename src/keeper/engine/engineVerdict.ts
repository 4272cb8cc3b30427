import { engineExit } from '../../core/protocol/engines/engineExit';
import type { EngineFacts } from '../../core/protocol/engines/engineFacts';
import type { EngineOrder } from '../../core/protocol/engines/engineOrder';
import { shortText } from '../../core/protocol/engines/shortText';
import type { ExitEvidence } from '../../core/protocol/keeper/exitClass';
import { engineRollout } from '../../core/system/engineRollout';
import { redact } from '../../core/system/redact';
import type { ExitVerdict } from '../paperwork';

/** How a program that asks a model ended, by its output and by what it left beside that. */
export async function engineVerdict(
  evidence: ExitEvidence,
  {
    facts,
    order,
    secrets,
  }: { readonly facts: EngineFacts; readonly order: EngineOrder; readonly secrets: readonly string[] },
): Promise<ExitVerdict> {
  const {
    class: exitClass,
    reason,
    remedy,
    isTransient,
    resetsAt,
  } = engineExit({
    ...evidence,
    facts,
    beside: await engineRollout(order, facts.sessionId),
  });
  return {
    class: exitClass,
    ...(reason === null ? {} : { says: shortText(redact(reason, secrets)) }),
    ...(remedy === null ? {} : { remedy }),
    ...(isTransient ? { transient: true } : {}),
    ...(resetsAt === null ? {} : { resetsAt: new Date(resetsAt).toISOString() }),
  };
}
