import type { RequestedBy } from './exitRecord';

/** The steps of the stop ladder in their order (lifecycle §5); `verified` means that the tree was seen empty. */
export const stopSteps = ['asked', 'terminate', 'kill', 'verified'] as const;
export type StopStep = (typeof stopSteps)[number];

export interface StopReceiptStep {
  readonly step: StopStep;
  /** ISO 8601 UTC with milliseconds. */
  readonly at: string;
  /** How many processes of the tree were alive when the step was taken. */
  readonly alive: number;
}

/** Proof of a stop: who asked, when, each step taken. `finished` once the tree is empty. */
export interface StopReceipt {
  readonly requestedBy: RequestedBy;
  readonly at: string;
  readonly steps: readonly StopReceiptStep[];
  readonly finished: boolean;
}
