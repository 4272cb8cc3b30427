import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { dialects, type Dialect, type SendEvent } from './dialects';
import { fittingCall } from './fittingCall';
import type { ModelScript, ModelStep } from './modelAnswer';
import { scenarios } from './scenarios';

/** One request that came in. `nth` counts the model's requests of one scenario, from 1; 0 for what is none. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly scenario: string;
  readonly nth: number;
  readonly turn: number;
  readonly offered: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A model that says what a test wants, on 127.0.0.1 only. The first part of a path names the scenario and its options, as
 * in `429,after=60,times=2,id=mine`: `times` fails only the first requests and goes on as `write`, `id` makes its counter
 * a test's own.
 */
export interface ModelServer {
  readonly port: number;
  /** Base address of a scenario, without the version that the wire formats of OpenAI want behind it. */
  urlOf(scenario: string): string;
  /** Adds a scenario, or replaces one. */
  script(name: string, script: ModelScript): void;
  readonly requests: readonly SeenRequest[];
  /** Resolves with the first request that fits, at once where it came already. */
  seen(fits: (request: SeenRequest) => boolean): Promise<SeenRequest>;
  close(): Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  const desk = new ModelDesk();
  const server = createServer((request, response) => {
    desk.answer(request, response).catch(() => {
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urlOf: (scenario) => `http://127.0.0.1:${port}/${scenario}`,
    script: (name, script) => desk.scripts.set(name, script),
    requests: desk.requests,
    seen: async (fits) => await desk.seen(fits),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

class ModelDesk {
  readonly scripts = new Map<string, ModelScript>(Object.entries(scenarios));
  readonly requests: SeenRequest[] = [];
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  async seen(fits: (request: SeenRequest) => boolean): Promise<SeenRequest> {
    for (;;) {
      const found = this.requests.find(fits);
      if (found !== undefined) {
        return found;
      }
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const body = readBody(await text(request));
    const [, prefix = '', ...path] = url.replace(/\?.*$/, '').split('/');
    const kind = path.at(-1) ?? '';
    const dialect = dialects[kind]?.(body, sender(response));
    const scenario = decodeURIComponent(prefix);
    const nth = dialect === undefined ? 0 : this.#count(scenario);
    const { turn, offered } = dialect ?? { turn: 0, offered: [] };
    this.#note({ method, url, scenario, nth, turn, offered, body });
    if (dialect === undefined) {
      refuse(response, {
        status: kind === 'count_tokens' ? 200 : 404,
        headers: {},
        body: '{"input_tokens":10}',
      });
    } else {
      await this.#play(scenario, { dialect, nth, response });
    }
  }

  #count(scenario: string): number {
    const nth = (this.#counts.get(scenario) ?? 0) + 1;
    this.#counts.set(scenario, nth);
    return nth;
  }

  #note(request: SeenRequest): void {
    this.requests.push(request);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    waiting.forEach((wake) => {
      wake();
    });
  }

  async #play(scenario: string, { dialect, nth, response }: Play): Promise<void> {
    const [name = '', ...pairs] = scenario.split(',');
    const options = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
    const isOver = options['times'] !== undefined && nth > Number(options['times']);
    const script = this.scripts.get(isOver ? 'write' : name);
    if (script === undefined) {
      refuse(response, { status: 404, headers: {}, body: `{"error":"there is no scenario ${name}"}` });
      return;
    }
    const answer = script({ turn: dialect.turn, options, offered: dialect.offered });
    if ('status' in answer) {
      refuse(response, answer);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', ...answer.headers });
    dialect.begin();
    // A request for a title or a summary offers no tools: it is answered at once, so that the task alone follows the script.
    const isAside = dialect.offered.length === 0 && answer.steps.some((step) => 'call' in step);
    await perform(isAside ? [{ say: 'A title' }] : answer.steps, dialect, response);
  }
}

interface Play {
  readonly dialect: Dialect;
  readonly nth: number;
  readonly response: ServerResponse;
}

async function perform(steps: readonly ModelStep[], dialect: Dialect, response: ServerResponse): Promise<void> {
  for (const step of steps) {
    if (response.destroyed || 'hang' in step) {
      return;
    }
    if ('breakOff' in step) {
      response.destroy();
    } else if ('waitMs' in step) {
      await pause(step.waitMs, undefined, { ref: false });
    } else if ('until' in step) {
      await step.until;
    } else if ('fail' in step) {
      dialect.fail(step.fail);
      response.end();
      return;
    } else if ('say' in step) {
      dialect.say(step.say);
    } else {
      dialect.call(fittingCall(step.call, dialect.offered, step.input));
    }
  }
  if (!response.destroyed) {
    dialect.end();
    response.end();
  }
}

function sender(response: ServerResponse): SendEvent {
  return (event, data) => {
    const body = JSON.stringify(event === null || typeof data === 'string' ? data : { type: event, ...data });
    response.write(`${event === null ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : body}\n\n`);
  };
}

interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function refuse(response: ServerResponse, { status, headers, body }: RefusedAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

function readBody(content: string): Record<string, unknown> {
  try {
    return JSON.parse(content) as Record<string, unknown>;
  } catch {
    // Looks and health checks have no body.
    return {};
  }
}
