import { coordinatorName } from './agentName';
import type { Message } from './message';

/** A message that one turn of an engine is to deal with. */
export interface EngineTurn {
  /** The agent that the engine works as. */
  readonly agent: string;
  /** Those that it can write to. */
  readonly others: readonly string[];
  /** What the agent is told once, at the first turn of its engine's session; null: nothing, or it was told. */
  readonly opening: string | null;
  readonly message: Message;
  /** An earlier process began this message and was cut off. */
  readonly isRedelivered: boolean;
}

/** What the engine reads in a turn. The opening stands first, because it can be a command of the program (`/…`). */
export function engineTurnPrompt({ agent, others, opening, message, isRedelivered }: EngineTurn): string {
  const { type, from, payload, inReplyTo } = message;
  const shown = { type, from, ...(inReplyTo === undefined ? {} : { inReplyTo }), payload };
  return [
    ...(opening === null ? [] : [opening, '']),
    `You are the agent ${agent} of a session of agents. This message came for you:`,
    JSON.stringify(shown, null, 2),
    ...(isRedelivered ? ['You had begun with it and were cut off. Look what is done already, and finish it.'] : []),
    '',
    answerRule(type, from),
    `To write to others (${namesOf(agent, others)}), put a line of JSON by itself into your last answer, for example:`,
    '{"to": "pm", "type": "Query", "payload": {"question": "…", "context": "…"}}',
    LINE_RULE,
  ].join('\n');
}

/** What the engine reads where agents take turns by files (actors.md §7); `context` is what the one before left for it. */
export function sequentialTurnPrompt(agent: string, opening: string | null, context: string): string {
  return [
    ...(opening === null ? [] : [opening, '']),
    `You are the agent ${agent}, and it is your turn. What you need to know:`,
    context,
    '',
    'End your last answer with one of these two lines: HANDOFF:<agent>:<what it must know>, if another agent is to go on,',
    'or <promise>RALPH_COMPLETE</promise>, if all is done.',
  ].join('\n');
}

const LINE_RULE =
  'A line of the type WorkComplete (taskId, result, notes), WorkBlocked (taskId, reason), Query or Response (answer) takes the place of what would be sent by itself.';

function answerRule(type: string, from: string): string {
  switch (type) {
    case 'WorkAssign':
      return 'Do this work now. When you end, your last answer goes to pm as WorkComplete, and the task counts as done.';
    case 'Query':
      return `Your last answer goes to ${from} as the Response.`;
    case 'ValidationRequest':
      return `Validate it now. Begin your last answer with PASSED or FAILED: it goes to ${from} as the ValidationResult.`;
    default:
      return 'Act on it where that is needed. Nothing is sent back by itself: a task that it lets you finish needs its WorkComplete line.';
  }
}

function namesOf(agent: string, others: readonly string[]): string {
  return [...new Set([coordinatorName, ...others])].filter((name) => name !== agent).join(', ');
}
