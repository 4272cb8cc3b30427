import type { AgentMessage } from '../agent/agent';
import type { SessionAgent } from '../agent/sessionAgent';
import type { EngineAgentJob } from '../core/engines/engineAgentJob';
import { supervisorName } from '../core/protocol/actors/agentName';
import { taskOf } from '../core/protocol/actors/answers';
import { engineTurnPrompt } from '../core/protocol/actors/engineTurnPrompt';
import { engineTurnReplies } from '../core/protocol/actors/engineTurnReplies';
import type { EngineTurns } from './engineTurns';

/** News of the supervisor and of others' states: no work for a model. */
const NEWS = new Set(['System', 'AgentStatus', 'CLIComplete']);

export interface MessageTurn {
  readonly agent: SessionAgent;
  readonly job: EngineAgentJob;
  readonly turns: EngineTurns;
  readonly print: (text: string) => void;
}

/** Has the engine deal with one message and sends what comes of it. Throws where it was cut off or the engine takes no requests, so that the message comes again. */
export async function handleMessage(message: AgentMessage, { agent, job, turns, print }: MessageTurn): Promise<void> {
  print(`[message] ${message.type} from ${message.from}`);
  if (NEWS.has(message.type)) {
    print(JSON.stringify(message.payload));
    return;
  }
  const currentTask = taskOf(message);
  await agent.sendAgentStatus({ status: 'working', ...(currentTask === null ? {} : { currentTask }) });
  const end = await turns.run((isFirst) =>
    engineTurnPrompt({
      agent: job.agent,
      others: job.others,
      opening: isFirst ? job.prompt : null,
      message,
      isRedelivered: message.redelivered === true,
    }),
  );
  if (end === null) {
    throw new Error(`The turn was cut off by a stop. The ${message.type} comes again at the next start.`);
  }
  const { messages, faults } = engineTurnReplies(job.agent, message, end);
  for (const fault of faults) {
    print(`[not sent] ${fault}`);
    const payload = { systemEvent: 'error', message: fault };
    await agent.sendMessage({ to: supervisorName, type: 'System', payload });
  }
  for (const reply of messages) {
    print(`[sent] ${reply.type} to ${reply.to}`);
    await agent.sendMessage(reply);
  }
  await agent.sendAgentStatus({ status: 'idle' });
}
