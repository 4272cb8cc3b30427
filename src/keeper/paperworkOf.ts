import type { Clock } from '../core/base/clock';
import type { KeeperRecord } from '../core/protocol/keeper/keeperRecord';
import type { MailboxRecord } from '../core/protocol/keeper/mail';
import type { KeeperSpec } from '../core/protocol/keeper/keeperSpec';
import { AgentPaperwork } from './mailbox/agentPaperwork';
import type { Paperwork } from './paperwork';
import { type JudgeExit, WorkerFiles } from './workerFiles';

export interface PaperworkContext {
  /** The keeper's first record. */
  readonly record: KeeperRecord;
  readonly onMailbox: (mailbox: MailboxRecord) => void;
  /** A line for the person who reads the log. */
  readonly note: (text: string) => void;
  /** What kind of end a background worker's was. */
  readonly judge: JudgeExit;
}

/** What this keeper has to do beside keeping: an agent's mailbox, or a worker's files. Throws when the disk refuses. */
export function paperworkOf(spec: KeeperSpec, clock: Clock, context: PaperworkContext): Paperwork {
  const { record, onMailbox, note, judge } = context;
  if (spec.mailbox === undefined || record.mailbox === undefined) {
    return new WorkerFiles(spec, clock, judge);
  }
  const { pid, startTime } = record.keeper;
  return new AgentPaperwork({
    spec,
    order: spec.mailbox,
    clock,
    record: record.mailbox,
    name: `keeper ${pid} ${startTime}`,
    onRecord: onMailbox,
    note,
  });
}
