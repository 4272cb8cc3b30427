import type { Message } from './message';

/** The types that end what such a message began. */
const answers: ReadonlyMap<string, readonly string[]> = new Map([
  ['WorkAssign', ['WorkComplete', 'WorkBlocked', 'WorkAbandoned']],
  ['Query', ['Response']],
  ['ValidationRequest', ['ValidationResult']],
  ['CLIInvoke', ['CLIComplete']],
]);

/** Whether somebody waits for what the recipient has to say to it (actors.md §4, §5). */
export function expectsAnswer({ type }: Pick<Message, 'type'>): boolean {
  return answers.has(type);
}

/** Whether `reply` answers `message`: it says so by `inReplyTo`, or ends the same task. One task can have many queries. */
export function isAnsweredBy(message: Message, reply: Message): boolean {
  if (reply.inReplyTo === message.id) {
    return expectsAnswer(message);
  }
  const task = message.type === 'Query' ? null : taskOf(message);
  return task !== null && task === taskOf(reply) && answers.get(message.type)?.includes(reply.type) === true;
}

/** The task that a message is about, or null. */
export function taskOf({ payload }: Pick<Message, 'payload'>): string | null {
  const { taskId } = payload;
  const task = typeof taskId === 'number' ? String(taskId) : taskId;
  return typeof task === 'string' && task !== '' ? task : null;
}
