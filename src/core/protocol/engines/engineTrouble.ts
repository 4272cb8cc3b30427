import type { EngineVerdict } from './engineExit';

/** What a person is told of the engine, to act on it. */
export interface TroubledEngine {
  readonly name: string;
  /** What to type in a terminal. */
  readonly loginCommand: string;
}

/** Why an engine's run failed and what a person can do about it, in two sentences. */
export function engineTrouble(
  { reason, class: exitClass, remedy, resetsAt }: EngineVerdict,
  { name, loginCommand }: TroubledEngine,
): string {
  const why = (reason ?? exitClass).replace(/[.\s]+$/, '');
  switch (remedy) {
    case 'log in':
      return `${name} is not signed in: ${why}. Log in with \`${loginCommand}\` in a terminal, then send this again.`;
    case 'wait':
      return `${name} has reached its rate limit: ${why}. It goes on by itself ${resetText(resetsAt)}.`;
    case 'raise limit':
      return `${name} reached a limit that was set for it: ${why}. Raise it in .vscode/workers.json, then send this again.`;
    case 'check configuration':
      return `${name} cannot run as it is set up: ${why}. Correct its model and settings (see \`rollcall doctor\`), then send this again.`;
    default:
      return `${name} failed: ${why}. Send this again; if it stays so, read the log of the agent.`;
  }
}

function resetText(resetsAt: number | null): string {
  return resetsAt === null ? 'in some minutes' : `after ${new Date(resetsAt).toISOString()}`;
}
