import { join } from 'node:path';
import {
  ENGINE_AGENT_BYTES,
  engineAgentFile,
  LIMIT_EXIT,
  readEngineAgent,
} from '../../core/protocol/actors/engineAgentRecord';
import type { ExitRecord } from '../../core/protocol/keeper/exitRecord';
import { readBounded } from '../../core/system/boundedRead';

type Limited = Pick<ExitRecord, 'class' | 'says' | 'remedy' | 'resetsAt'>;

/**
 * What an agent's end means that left with the code for a rate limit, and whose record of this run tells of one: it waits
 * and goes on by itself (lifecycle §4). Null for every other end.
 */
export async function engineLimit(
  code: number | null,
  { folder, startedAt }: { readonly folder: string; readonly startedAt: string },
): Promise<Limited | null> {
  if (code !== LIMIT_EXIT) {
    return null;
  }
  const file = await readBounded(join(folder, engineAgentFile), ENGINE_AGENT_BYTES);
  const record = file.kind === 'ok' ? readEngineAgent(file.text) : null;
  const limit = record?.limit ?? null;
  if (record === null || limit === null || Date.parse(record.at) < Date.parse(startedAt)) {
    return null;
  }
  const { says, resetsAt } = limit;
  return { class: 'rate limited', says, remedy: 'wait', ...(resetsAt === null ? {} : { resetsAt }) };
}
