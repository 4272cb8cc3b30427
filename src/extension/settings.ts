import * as vscode from 'vscode';

/** What a person chose for this extension. */
export interface Settings {
  readonly notifyFailed: boolean;
  /** Whether a window tells what session agents need a person for. */
  readonly notifyAgents: boolean;
  /** Whether a window tells what workers of feature runs need a person for. */
  readonly notifyFeatures: boolean;
  /** Whether a window asks about what the project's state suggests. */
  readonly notifySuggestions: boolean;
  /** Whether a window tells of protected files that changed while a worker ran. */
  readonly notifyViolations: boolean;
  /** Whether a window tells what workers' programs ask. */
  readonly notifyRequests: boolean;
  /** What the person set for engines, as `readEnginesSettings` takes it. */
  readonly engines: unknown;
  /** How much of a worker's log its output channel starts with. */
  readonly logTailBytes: number;
  /** Absolute path of the Node executable for keepers and workers; null takes the one that runs VS Code's extensions. */
  readonly nodePath: string | null;
}

const MEGABYTE = 1_048_576;

/** Turns the questions about suggestions off for this workspace. */
export async function silenceSuggestions(): Promise<void> {
  const rollcall = vscode.workspace.getConfiguration('rollcall');
  await rollcall.update('notifications.suggestions', false, vscode.ConfigurationTarget.Workspace);
}

/** The settings as they are now, complete: what is missing or of a wrong type takes its default. */
export function readSettings(): Settings {
  const rollcall = vscode.workspace.getConfiguration('rollcall');
  const megabytes = rollcall.get<unknown>('log.tailMegabytes');
  const nodePath = rollcall.get<unknown>('runtime.nodePath');
  return {
    notifyFailed: rollcall.get<unknown>('notifications.failed') !== false,
    notifyAgents: rollcall.get<unknown>('notifications.agents') !== false,
    notifyFeatures: rollcall.get<unknown>('notifications.features') !== false,
    notifySuggestions: rollcall.get<unknown>('notifications.suggestions') !== false,
    notifyViolations: rollcall.get<unknown>('notifications.violations') !== false,
    notifyRequests: rollcall.get<unknown>('notifications.requests') !== false,
    engines: {
      ...rollcall.get<object>('engines.settings'),
      answerMinutes: rollcall.get<unknown>('engines.answerMinutes'),
    },
    logTailBytes: (typeof megabytes === 'number' && megabytes > 0 ? Math.min(megabytes, 50) : 1) * MEGABYTE,
    nodePath: typeof nodePath === 'string' && nodePath.trim() !== '' ? nodePath.trim() : null,
  };
}
