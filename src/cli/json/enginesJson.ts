import type { EngineReport } from '../../core/host/api';
import { SCHEMA } from './schema';

/** `doctor --json`. */
export function enginesJson(reports: readonly EngineReport[]): object {
  return { schema: SCHEMA, engines: reports };
}
