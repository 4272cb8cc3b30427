import type { AgentRequest, SendRequest, SessionRequest } from '../api';
import type { CallerEnv } from '../hostContext';

/** Everything about a session that only the leader carries out, as it travels to it. */
export type SessionOrder =
  | { readonly kind: 'start'; readonly mode: 'event-driven' | 'sequential' | null; readonly request: SessionRequest }
  | { readonly kind: 'stop'; readonly force: boolean; readonly request: SessionRequest }
  | { readonly kind: 'startAgent' | 'listen' | 'skipWait'; readonly request: AgentRequest }
  | { readonly kind: 'stopAgent'; readonly force: boolean; readonly request: AgentRequest }
  | { readonly kind: 'send'; readonly request: SendRequest }
  | { readonly kind: 'answer'; readonly item: string; readonly text: string; readonly request: SessionRequest }
  | { readonly kind: 'dismiss'; readonly item: string; readonly request: SessionRequest }
  | { readonly kind: 'snooze'; readonly item: string; readonly until: number; readonly request: SessionRequest };

/** An order with the environment of whoever gives it. */
export interface SentSessionOrder {
  readonly order: SessionOrder;
  readonly env: CallerEnv;
}
