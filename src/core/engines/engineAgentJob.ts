import { isRecord, readJson } from '../protocol/events/jsonGuards';
import { numberAt, textAt, textsAt } from '../protocol/features/jsonFields';
import type { EngineAdapter, EngineSettings } from './engineAdapter';
import { engineAdapters } from './engineAdapters';
import { readEnginesSettings } from './engineSettings';

/** What `dist/engine-agent.js` gets as one JSON text on stdin. Paths are absolute. No secrets: those are in its environment. */
export interface EngineAgentJob {
  readonly agent: string;
  readonly engine: string;
  /** The engine's program. */
  readonly program: string;
  readonly settings: EngineSettings;
  /** A word of the routing table, `none`, or the engine's own name of a model. */
  readonly model: string;
  /** What it is told at the first turn of its session. */
  readonly prompt: string | null;
  /** Where it works. */
  readonly root: string;
  /** The agent's own folder, which its keeper shares. */
  readonly folder: string;
  readonly hasWorktree: boolean;
  /** What one turn may spend, US dollars, where the engine can hold to that. */
  readonly budgetUsd: number | null;
  /** The agents of the session. */
  readonly others: readonly string[];
  /** Agents take turns by files (actors.md §7): one turn, and no messages. */
  readonly takesTurns: boolean;
  /** Instead of being the agent it carries out one call of it, and leaves; null: it is the agent. */
  readonly call: EngineCall | null;
}

/** One run of the engine from a file into a file (actors.md §4). Absolute paths. */
export interface EngineCall {
  readonly sessionDir: string;
  readonly messageFile: string;
  readonly responseFile: string;
  /** The folder of the agent that calls: what its calls do and used is told there, as for an agent on an engine. */
  readonly agentFolder: string;
}

/** The job with its adapter; null where the text is none. */
export function readEngineAgentJob(
  text: string,
): { readonly job: EngineAgentJob; readonly adapter: EngineAdapter } | null {
  const job = readJson(text);
  if (!isRecord(job)) {
    return null;
  }
  const [agent, engine, program] = [textAt(job, 'agent'), textAt(job, 'engine'), textAt(job, 'program')];
  const [model, root, folder] = [textAt(job, 'model'), textAt(job, 'root'), textAt(job, 'folder')];
  const adapter = engineAdapters.find(({ name }) => name === engine);
  if (agent === null || program === null || model === null || root === null || folder === null || !adapter) {
    return null;
  }
  const settings = readEnginesSettings({ [adapter.name]: job['settings'] }).engines[adapter.name];
  return settings === undefined
    ? null
    : {
        adapter,
        job: {
          agent,
          engine: adapter.name,
          program,
          settings,
          model,
          prompt: textAt(job, 'prompt'),
          root,
          folder,
          hasWorktree: job['hasWorktree'] === true,
          budgetUsd: numberAt(job, 'budgetUsd'),
          others: textsAt(job, 'others') ?? [],
          takesTurns: job['takesTurns'] === true,
          call: callIn(job['call']),
        },
      };
}

function callIn(value: unknown): EngineCall | null {
  if (!isRecord(value)) {
    return null;
  }
  const [sessionDir, messageFile] = [textAt(value, 'sessionDir'), textAt(value, 'messageFile')];
  const [responseFile, agentFolder] = [textAt(value, 'responseFile'), textAt(value, 'agentFolder')];
  return sessionDir === null || messageFile === null || responseFile === null || agentFolder === null
    ? null
    : { sessionDir, messageFile, responseFile, agentFolder };
}
