import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SessionAgent } from '../agent/sessionAgent';
import { errorText } from '../core/base/errorText';
import { type EngineAgentJob, readEngineAgentJob } from '../core/engines/engineAgentJob';
import { LIMIT_EXIT } from '../core/protocol/actors/engineAgentRecord';
import { sequentialTurnPrompt } from '../core/protocol/actors/engineTurnPrompt';
import { runtimeVariables } from '../core/protocol/actors/privateWire';
import { readRecord, textAt } from '../core/protocol/features/jsonFields';
import { readBounded } from '../core/system/boundedRead';
import { carryOutCall } from './carryOutCall';
import { EngineTurns } from './engineTurns';
import { handleMessage } from './handleMessage';
import { TurnLimited } from './turnLimited';

// A session agent on an engine (engines.md): connects by our own runtime and has the engine's program do one turn of one
// session for each message; or one call of an agent (actors.md §4). What it is to be comes as a job on stdin.

const CONNECT_MS = 31_000;
const HANDOFF_BYTES = 1024 * 1024;

async function main(): Promise<void> {
  const read = readEngineAgentJob(readFileSync(0, 'utf8'));
  if (read === null) {
    throw new Error('engine-agent.js got a job that it does not understand. Reinstall Rollcall.');
  }
  const { job, adapter } = read;
  const sessionDir = process.env[runtimeVariables.sessionDir] ?? '';
  const turns = new EngineTurns({ job, adapter, env: engineEnv(), distDir: dirname(process.argv[1] ?? ''), print });
  if (job.call !== null) {
    process.exitCode = await carryOutCall(job.call, turns, print);
    return;
  }
  const agent = new SessionAgent(job.agent, sessionDir, process.env, () => {
    turns.interrupt();
  });
  await agent.connect(CONNECT_MS);
  if (job.takesTurns) {
    await takeTurn(job, turns, sessionDir);
  }
  await agent.enterAgentLoop(async (message) => {
    await handleMessage(message, { agent, job, turns, print });
  });
}

/** The one turn of a sequential session; ends the process. */
async function takeTurn({ agent, prompt }: EngineAgentJob, turns: EngineTurns, sessionDir: string): Promise<never> {
  const file = await readBounded(join(sessionDir, 'pending-handoff.json'), HANDOFF_BYTES);
  const context = textAt(readRecord(file.kind === 'ok' ? file.text : '') ?? {}, 'context') ?? '';
  const end = await turns.run((isFirst) => sequentialTurnPrompt(agent, isFirst ? prompt : null, context));
  if (end?.kind === 'failed') {
    print(end.reason);
  }
  process.exit(end?.kind === 'done' ? 0 : 1);
}

/** Without what leads to this agent's endpoint: the model speaks through its answers alone. */
function engineEnv(): Record<string, string> {
  const { endpoint, token, cursor } = runtimeVariables;
  const hidden = new Set<string>([endpoint, token, cursor, 'ELECTRON_RUN_AS_NODE']);
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || hidden.has(name) ? [] : [[name, value] as const],
    ),
  );
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${errorText(error)}\n`);
  // Its connection would keep the process alive.
  process.exit(error instanceof TurnLimited ? LIMIT_EXIT : 1);
});
