import type { StartCause } from '../../protocol/actors/sessionEvent';
import type { CallerEnv } from '../hostContext';

/** How an agent is to be started. */
export interface AgentStart {
  readonly agent: string;
  readonly cause: StartCause;
  readonly byHand?: boolean;
  readonly by?: string;
  /** The message that starts it, by its number in the log. */
  readonly mail?: number;
  /** Of whoever asks; that of this process without it. */
  readonly env?: CallerEnv;
}
