import { sessionText } from '../../core/presenter/agents/sessionText';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import { terminalReader } from './terminalReader';

/** The session with its agents for a terminal. No final newline. */
export function sessionTable(fleet: FleetSnapshot): string {
  return sessionText(fleet, terminalReader(fleet.at), '`rollcall inbox`');
}
