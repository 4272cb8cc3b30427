import { type Clock, delay } from '../base/clock';
import { errorText } from '../base/errorText';
import { fail } from '../base/result';
import type { Lease, LeaseHolder } from '../registry/lease';
import { type ControlClient, connectControl } from '../system/controlClient';
import { ControlError } from '../system/controlMessage';
import type { Outcome, Refusal } from './api';
import type { LedJob } from './leadership';

/** A change that is asked of whoever leads: a method of the leader's pipe. */
export interface LeaderCall {
  readonly method: string;
  readonly params: unknown;
}

export interface LeaderLinkOptions {
  readonly lease: Lease;
  readonly clock: Clock;
  /** Leads for this one request. */
  readonly leadFor: <T>(job: (epoch: number) => Promise<T>) => Promise<LedJob<T>>;
}

/** How long a change in leadership is waited for, and an answer of the leader. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 50;

/**
 * Gets a request done by whoever leads: the living leader is asked; without one this process leads for the request
 * (lifecycle §6). A leader that is only just coming or going is waited for.
 */
export async function throughLeader<T>(
  request: LeaderCall,
  perform: (epoch: number) => Promise<Outcome<T>>,
  options: LeaderLinkOptions,
): Promise<Outcome<T>> {
  const deadline = options.clock.monotonic() + PATIENCE_MS;
  let last = 'Nobody answers for this project.';
  while (options.clock.monotonic() < deadline) {
    const holder = await options.lease.read();
    const tried = holder === null ? asked(await options.leadFor(perform)) : await ask<T>(request, holder);
    if ('value' in tried) {
      return tried.value;
    }
    last = tried.reason ?? last;
    await delay(options.clock, RETRY_MS);
  }
  return fail<Refusal>({
    code: 'not-leader',
    message: `${last} Close the window or program that leads, or try again when it answers.`,
  });
}

/** Without a value the request was certainly not carried out, so it may be tried again. */
type Asked<T> = { readonly value: Outcome<T> } | { readonly reason: string | null };

function asked<T>(job: LedJob<Outcome<T>>): Asked<T> {
  switch (job.kind) {
    case 'done':
      return job;
    case 'impossible':
      return { value: fail(job.error) };
    case 'not now':
      return { reason: null };
  }
}

async function ask<T>(request: LeaderCall, holder: LeaseHolder): Promise<Asked<T>> {
  const { endpoint, nonce, epoch } = holder;
  let client: ControlClient;
  try {
    client = await connectControl({ endpoint, nonce, epoch });
  } catch (error) {
    return { reason: noAnswerText(holder, error) };
  }
  try {
    // Both ends are the same program: the answer has the shape that the method's own code gave it.
    return { value: (await client.request(request.method, request.params)) as Outcome<T> };
  } catch (error) {
    const reason = noAnswerText(holder, error);
    return isRefusedUnheard(error)
      ? { reason }
      : { value: fail<Refusal>({ code: 'failed', message: `${reason} Look at the status before you ask again.` }) };
  } finally {
    client.dispose();
  }
}

/** The other side said itself that it does not lead (any more), so it did nothing. */
function isRefusedUnheard(error: unknown): boolean {
  return error instanceof ControlError && (error.code === 'not-leader' || error.code === 'stale-epoch');
}

function noAnswerText({ pid, surface }: LeaseHolder, error: unknown): string {
  return `The leader (pid ${String(pid)}, ${surface}) gave no answer: ${errorText(error)}`;
}
