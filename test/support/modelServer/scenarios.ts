import type { ModelAnswer, ModelScript, ModelStep } from './modelAnswer';

const finished: readonly ModelStep[] = [{ say: 'All done.' }];
const overloaded = { type: 'overloaded_error', message: 'Overloaded' };

/** Calls one tool in the first turn and ends in the second. */
function oneCall(call: string): ModelScript {
  return ({ turn }) => ({ steps: turn === 0 ? [{ say: 'Working on it. ' }, { call }] : finished });
}

function steps(...list: ModelStep[]): ModelScript {
  return () => ({ steps: list });
}

interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** One body that all three programs understand. */
function refusal({ status, type, message, headers = {}, more = {} }: Refusal): ModelAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'request-id': 'req_scripted', ...headers },
    body: JSON.stringify({ type: 'error', error: { type, code: type, message, ...more } }),
  };
}

/** The headers by which the vendors say how much of a limit is used and when it ends. */
function limitHeaders(status: 'rejected' | 'allowed_warning'): Record<string, string> {
  const reset = String(inAnHour());
  const [share, percent] = status === 'rejected' ? ['1.0', '100'] : ['0.93', '93'];
  return {
    'anthropic-ratelimit-unified-status': status,
    'anthropic-ratelimit-unified-reset': reset,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': status,
    'anthropic-ratelimit-unified-5h-reset': reset,
    'anthropic-ratelimit-unified-5h-utilization': share,
    'anthropic-ratelimit-unified-5h-surpassed-threshold': '0.9',
    'x-codex-primary-used-percent': percent,
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': reset,
  };
}

/** How long opencode, which tries six times, waits between two tries: `ms` of the scenario. Else 60 s and more together. */
function betweenTries({ ms }: Readonly<Record<string, string>>): Record<string, string> {
  return ms === undefined ? {} : { 'retry-after-ms': ms };
}

function inAnHour(): number {
  return Math.floor(Date.now() / 1000) + 3600;
}

/** A limit that is used up; `reset` says when it ends in every way that a vendor may. */
function limited({ options }: { readonly options: Readonly<Record<string, string>> }): ModelAnswer {
  const headers = { ...limitHeaders('rejected'), 'retry-after': options['after'] ?? '3600' };
  return refusal({ status: 429, type: 'rate_limit_error', message: 'Rate limit exceeded', headers });
}

/** The scenarios by name. Each is what `shared/notes/engines.md` §3 was seen with. */
export const scenarios: Readonly<Record<string, ModelScript>> = {
  text: steps({ say: 'Hello ' }, { say: 'from the script.' }),
  write: oneCall('write'),
  bash: oneCall('bash'),
  agent: oneCall('agent'),
  slow: ({ options }) => ({
    steps: [1, 2, 3].flatMap((part) => [{ say: `part ${part} ` }, { waitMs: Number(options['ms'] ?? 10_000) }]),
  }),
  cut: steps({ say: 'half an ans' }, { waitMs: 50 }, { breakOff: true }),
  hang: steps({ say: 'half an ans' }, { hang: true }),
  midfail: steps({ say: 'half an ans' }, { fail: overloaded }),
  huge: ({ options }) => ({ steps: [{ say: 'x'.repeat(Number(options['bytes'] ?? 5_000_000)) }] }),
  400: () => refusal({ status: 400, type: 'invalid_request_error', message: 'prompt is too long' }),
  401: () => refusal({ status: 401, type: 'authentication_error', message: 'invalid x-api-key' }),
  403: () => refusal({ status: 403, type: 'permission_error', message: 'not allowed to use this model' }),
  404: () => refusal({ status: 404, type: 'not_found_error', message: 'model: no-such-model' }),
  429: limited,
  '429text': ({ options }) => ({
    status: 429,
    headers: { 'content-type': 'text/plain', ...betweenTries(options) },
    body: 'Too Many Requests',
  }),
  usage: () =>
    refusal({
      status: 429,
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      headers: limitHeaders('rejected'),
      more: { resets_at: inAnHour() },
    }),
  500: () => refusal({ status: 500, type: 'api_error', message: 'Internal server error' }),
  529: () => refusal({ status: 529, ...overloaded }),
  warn: () => ({ headers: limitHeaders('allowed_warning'), steps: finished }),
};
