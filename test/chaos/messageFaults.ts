import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentBook, Got } from './agentBook';
import type { MessagePlan } from './messagePlan';
import type { MessageWorld } from './messageWorld';

/** A message between agents, as the log tells of it. */
interface Logged {
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  readonly k: number;
  readonly type: string;
  /** Told as delivered for the first time, told as delivered again, told as acknowledged. */
  delivered: number;
  redelivered: number;
  acked: number;
}

interface Log {
  readonly messages: readonly Logged[];
  readonly faults: readonly string[];
}

/** So many faults of a kind are told. */
const SHOWN = 5;

/**
 * Everything that does not hold about the messages of a session, in sentences. Shares no code with the product: the log is
 * read as JSON, and compared with what the agents noted themselves.
 */
export function messageFaults(world: MessageWorld, plan: MessagePlan): readonly string[] {
  const names = [...plan.agents, ...plan.oldAgents];
  const books = new Map(names.map((name) => [name, world.bookOf(name)]));
  const log = readLog(world.sessionDir);
  const isOld = (name: string): boolean => plan.oldAgents.includes(name);
  return [
    ...log.faults,
    ...few(
      'agents',
      names.flatMap((name) => lifeFaults(name, books.get(name), plan)),
    ),
    ...few(
      'senders',
      names.flatMap((name) => senderFaults(name, books.get(name), log)),
    ),
    ...few('order', orderFaults(log)),
    ...few(
      'recipients',
      names.flatMap((name) => recipientFaults(name, books.get(name), { log, isOld: isOld(name) })),
    ),
    ...few(
      'told',
      log.messages.flatMap((message) => toldFaults(message, isOld(message.to))),
    ),
    ...few(
      'cursors',
      plan.agents.flatMap((name) => cursorFaults(name, books.get(name), world)),
    ),
  ];
}

function readLog(sessionDir: string): Log {
  const closed = join(sessionDir, 'eventlog');
  const segments = existsSync(closed)
    ? readdirSync(closed)
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
    : [];
  const files = [...segments.map((name) => join(closed, name)), join(sessionDir, 'eventlog.jsonl')];
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  );
  const events = lines.map((line) => JSON.parse(line) as LogLine);
  const messages = new Map<number, Logged>();
  const faults: string[] = [];
  let epoch = 0;
  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1 || event.epoch < epoch) {
      faults.push(
        `line ${String(index + 1)} of the log has the number ${String(event.seq)} of epoch ${String(event.epoch)}`,
      );
    }
    epoch = event.epoch;
    note(event, messages);
  }
  return { messages: [...messages.values()], faults: few('lines', faults) };
}

interface LogLine {
  readonly seq: number;
  readonly epoch: number;
  readonly type: string;
  readonly data: {
    readonly seq?: number;
    readonly redelivered?: true;
    readonly recipients?: readonly string[];
    readonly message?: {
      readonly type: string;
      readonly from: string;
      readonly to: string;
      readonly payload: { readonly k?: number };
    };
  };
}

function note({ seq, type, data }: LogLine, messages: Map<number, Logged>): void {
  const { message, recipients } = data;
  if (type === 'MessageSent' && message?.payload.k !== undefined && recipients?.length === 1) {
    const { from, to, payload } = message;
    const told = { delivered: 0, redelivered: 0, acked: 0 };
    messages.set(seq, { seq, from, to, k: payload.k ?? 0, type: message.type, ...told });
  }
  const meant = messages.get(data.seq ?? 0);
  const count = countOf(type, data.redelivered === true);
  if (meant !== undefined && count !== null) {
    meant[count] += 1;
  }
}

/** What a line says of its message. */
function countOf(type: string, isAgain: boolean): 'delivered' | 'redelivered' | 'acked' | null {
  if (type === 'MessageDelivered') {
    return isAgain ? 'redelivered' : 'delivered';
  }
  return type === 'MessageAcked' ? 'acked' : null;
}

/** It said all that it had to say, and was there once at a time. */
function lifeFaults(name: string, book: AgentBook | undefined, { messagesEach }: MessagePlan): readonly string[] {
  const { safe = new Set(), doubles = 0 } = book ?? {};
  return [
    ...(safe.size < messagesEach ? [`${name} was told of ${String(safe.size)} messages to be safe`] : []),
    ...(doubles > 0 ? [`${name} ran ${String(doubles)} times beside itself`] : []),
  ];
}

/** What it was told to be safe is in the log, and nothing that it never sent. */
function senderFaults(name: string, book: AgentBook | undefined, { messages }: Log): readonly string[] {
  const logged = new Map(messages.filter(({ from }) => from === name).map((message) => [message.k, message]));
  const tried = new Map((book?.tried ?? []).map(({ k, to }) => [k, to]));
  return [
    ...[...(book?.safe ?? [])]
      .filter((k) => !logged.has(k))
      .map((k) => `${name} was told that ${String(k)} is safe, and it is lost`),
    ...[...logged.values()]
      .filter(({ k, to }) => tried.get(k) !== to)
      .map(({ k, to }) => `the log has ${String(k)} from ${name} to ${to}, who sent no such thing`),
  ];
}

/** By its sender's count each message of a pair comes behind the one before, so none is there twice. */
function orderFaults({ messages }: Log): readonly string[] {
  const last = new Map<string, number>();
  return messages.flatMap(({ from, to, k }) => {
    const pair = `${from} → ${to}`;
    const before = last.get(pair) ?? 0;
    last.set(pair, k);
    return k > before ? [] : [`the log has ${pair} ${String(k)} behind ${String(before)}`];
  });
}

/** It began everything that the log has for it, each once unless it was marked, and each pair in order. */
function recipientFaults(
  name: string,
  book: AgentBook | undefined,
  { log, isOld }: { readonly log: Log; readonly isOld: boolean },
): readonly string[] {
  const begun = new Map<string, Got[]>();
  for (const got of book?.got ?? []) {
    const id = `${got.from} ${String(got.k)}`;
    begun.set(id, [...(begun.get(id) ?? []), got]);
  }
  const meant = log.messages.filter(({ to }) => to === name);
  const known = new Map(meant.map((message) => [`${message.from} ${String(message.k)}`, message]));
  const firsts = [...begun.values()].flatMap(([first]) => first ?? []);
  return [
    ...[...known]
      .filter(([id, message]) => !begun.has(id) && mustArrive(message, book, isOld))
      .map(([id]) => `${name} never got ${id}`),
    ...[...begun.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `${name} got ${id}, of which the log knows nothing`),
    ...[...begun]
      .filter(([id, gots]) => isDoubled(gots, known.get(id), isOld))
      .map(([id, gots]) => `${name} got ${id} ${String(gots.length)} times: ${JSON.stringify(gots)}`),
    ...(isOld ? [] : repeatFaults(name, book?.got ?? [])),
    ...pairFaults(name, firsts),
  ];
}

/**
 * An agent handles one message at a time, so only the newest that its last process began may be unfinished: what comes again
 * behind another one was handled to its end, and is done twice.
 */
function repeatFaults(name: string, gots: readonly Got[]): readonly string[] {
  const idOf = (got: Got | undefined): string => `${got?.from ?? ''} ${String(got?.k)}`;
  const seen = new Set<string>();
  return gots.flatMap((got, index) => {
    const id = idOf(got);
    const isAgain = seen.has(id);
    seen.add(id);
    return isAgain && idOf(gots[index - 1]) !== id
      ? [`${name} got ${id} again, with which it was through before ${idOf(gots[index - 1])}`]
      : [];
  });
}

/** What asks an existing agent nothing is done with when its process has it, also if that ended before it read on. */
function mustArrive({ type }: Logged, book: AgentBook | undefined, isOld: boolean): boolean {
  return !isOld || type === 'Query' || book?.runs === 1;
}

/** Again only in another process, and only where it says so: in the message, or on the old wire in the log. */
function isDoubled(gots: readonly Got[], message: Logged | undefined, isOld: boolean): boolean {
  const runs = new Set(gots.map(({ run }) => run));
  const isMarked = isOld
    ? (message?.redelivered ?? 0) >= gots.length - 1
    : gots.slice(1).every(({ redelivered }) => redelivered);
  return runs.size < gots.length || !isMarked;
}

function pairFaults(name: string, firsts: readonly Got[]): readonly string[] {
  const last = new Map<string, number>();
  return firsts.flatMap(({ from, k }) => {
    const before = last.get(from) ?? 0;
    last.set(from, k);
    return k > before ? [] : [`${name} got ${String(k)} of ${from} behind ${String(before)}`];
  });
}

/** The log tells of each message how it ended, once. */
function toldFaults(message: Logged, isOld: boolean): readonly string[] {
  const { seq, from, to, k, type, delivered, redelivered, acked } = message;
  const what = `${from} → ${to} ${String(k)} (line ${String(seq)})`;
  const isAnswered = !isOld || type === 'Query';
  return [
    ...(delivered + redelivered === 0 ? [`${what} was never told as delivered`] : []),
    ...(delivered > 1 ? [`${what} was told as delivered ${String(delivered)} times`] : []),
    ...(isAnswered && acked !== 1 ? [`${what} was told as acknowledged ${String(acked)} times`] : []),
  ];
}

/** The runtime's own file names the newest message that was begun. */
function cursorFaults(name: string, book: AgentBook | undefined, world: MessageWorld): readonly string[] {
  const newest = Math.max(0, ...(book?.got ?? []).map(({ seq }) => seq));
  const cursor = world.cursorOf(name);
  return cursor === newest ? [] : [`the cursor of ${name} says ${String(cursor)}, and it began ${String(newest)}`];
}

function few(kind: string, faults: readonly string[]): readonly string[] {
  const more = faults.length - SHOWN;
  return more > 0 ? [...faults.slice(0, SHOWN), `and ${String(more)} more about ${kind}`] : faults;
}
