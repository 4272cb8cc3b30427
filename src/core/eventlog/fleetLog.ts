import { join } from 'node:path';
import { formatEventLine } from '../protocol/events/eventLine';
import { emptyMoment, type FleetMoment } from '../protocol/events/fleetMoment';
import { MomentFold } from '../protocol/events/momentFold';
import { formatMoment, readMoment } from '../protocol/events/momentText';
import type { LogFormat, LogPlace } from './logFormat';

const MEBIBYTE = 1024 * 1024;
/** A quarter of a gigabyte, or well over a million events. */
const KEPT_SEGMENTS = 1_024;

const format: LogFormat<FleetMoment> = {
  empty: emptyMoment,
  foldFrom: (moment) => new MomentFold(moment),
  formatMoment,
  readMoment,
  formatLine: formatEventLine,
  lineBytes: MEBIBYTE,
  batchLines: 1,
  segmentBytes: MEBIBYTE / 4,
  keptSegments: KEPT_SEGMENTS,
};

/** The log of events in a workers folder (lifecycle §8). */
export function fleetLogIn(workersDir: string): LogPlace<FleetMoment> {
  return { current: join(workersDir, 'events.jsonl'), closedDir: join(workersDir, 'events'), format };
}
