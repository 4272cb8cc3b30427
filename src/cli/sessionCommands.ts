import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext, ExitCode, GlobalOptions } from './cliContext';
import { agentListen, agentStart, agentStop, type AgentStopOptions } from './commands/agent';
import { answerRequest } from './commands/answer';
import { answerItem, dismissItem, inbox, type InboxOptions, snoozeItem } from './commands/inbox';
import { parseSpan } from './parseSpan';
import { send, type SendOptions } from './commands/send';
import {
  sessionStart,
  type SessionStartOptions,
  sessionStatus,
  sessionStop,
  type SessionStopOptions,
} from './commands/session';

type Ended = (code: ExitCode) => void;

/** Adds the commands about the session and its agents; those about one agent go below `agent`. */
export function addSessionCommands(program: Command, agent: Command, context: CliContext, ended: Ended): void {
  addSession(program, context, ended);
  addAgent(agent, context, ended);
  addMessages(program, context, ended);
}

function addSession(program: Command, context: CliContext, ended: Ended): void {
  const session = program.command('session').description('the session of agents that work together');
  session
    .command('start')
    .description('start it; where nobody leads this stays and leads, and Ctrl-C asks the agents to stop')
    .addOption(new Option('--mode <mode>', 'how its agents take turns').choices(['event-driven', 'sequential']))
    .action(async (_options: object, command: Command) => {
      ended(await sessionStart(context, command.optsWithGlobals<SessionStartOptions>()));
    });
  session
    .command('stop')
    .description('ask every agent to stop, the one that was started last first')
    .option('--force', 'end their processes now; repeated, with the next harder step')
    .action(async (_options: object, command: Command) => {
      ended(await sessionStop(context, command.optsWithGlobals<SessionStopOptions>()));
    });
  session
    .command('status')
    .description('show the session and its agents')
    .action(async (_options: object, command: Command) => {
      ended(await sessionStatus(context, command.optsWithGlobals<GlobalOptions>()));
    });
}

function addAgent(agent: Command, context: CliContext, ended: Ended): void {
  agent
    .command('start')
    .description('start an agent of the configuration')
    .argument('<name>', 'its name')
    .action(async (name: string, _options: object, command: Command) => {
      ended(await agentStart(context, name, command.optsWithGlobals<GlobalOptions>()));
    });
  agent
    .command('stop')
    .description('ask an agent to stop, or end its wait for a restart')
    .argument('<name>', 'its name')
    .option('--force', 'end its processes now; repeated, with the next harder step')
    .action(async (name: string, _options: object, command: Command) => {
      ended(await agentStop(context, name, command.optsWithGlobals<AgentStopOptions>()));
    });
  agent
    .command('listen')
    .description('host the endpoint of an agent that you start by hand')
    .argument('<name>', 'its name')
    .action(async (name: string, _options: object, command: Command) => {
      ended(await agentListen(context, name, command.optsWithGlobals<GlobalOptions>()));
    });
}

function addAnswer(parent: Command, context: CliContext, ended: Ended): void {
  parent
    .command('answer')
    .description('answer an item of the inbox; it leaves it')
    .argument('<id>', "its id, or a worker's")
    .argument('<text>', 'the answer')
    .action(async (item: string, text: string, _options: object, command: Command) => {
      ended(await answerItem(context, { item, text }, command.optsWithGlobals<GlobalOptions>()));
    });
}

/** What a worker's program asks is decided without a detour over the inbox. */
function addDecisions(program: Command, context: CliContext, ended: Ended): void {
  addAnswer(program, context, ended);
  program
    .command('allow')
    .description("let a worker's program do what it asks for")
    .argument('<id>', 'id of the item, or of the worker: then its oldest one')
    .action(async (name: string, _options: object, command: Command) => {
      const given = { name, allow: true, text: null };
      ended(await answerRequest(context, given, command.optsWithGlobals<GlobalOptions>()));
    });
  program
    .command('deny')
    .description("keep a worker's program from what it asks for; it is told so and goes on")
    .argument('<id>', 'id of the item, or of the worker: then its oldest one')
    .argument('[reason]', 'what it is told')
    .action(async (name: string, text: string | undefined, _options: object, command: Command) => {
      const given = { name, allow: false, text: text ?? null };
      ended(await answerRequest(context, given, command.optsWithGlobals<GlobalOptions>()));
    });
}

function addMessages(program: Command, context: CliContext, ended: Ended): void {
  program
    .command('send')
    .description('send a message to an agent, also to one that does not run')
    .requiredOption('--to <agent>', 'its name, or * for all that run')
    .requiredOption('--type <type>', 'e.g. WorkAssign')
    .option('--payload <json>', 'a JSON object, or @ and a file with one')
    .option('--in-reply-to <id>', 'id of the message that it answers')
    .action(async (_options: object, command: Command) => {
      ended(await send(context, command.optsWithGlobals<SendOptions>()));
    });
  const items = program
    .command('inbox')
    .description('show what waits for you')
    .option('--snoozed', 'show what you put off instead')
    .action(async (_options: object, command: Command) => {
      ended(await inbox(context, command.optsWithGlobals<InboxOptions>()));
    });
  addAnswer(items, context, ended);
  addDecisions(program, context, ended);
  items
    .command('dismiss')
    .description('take an item out of the inbox')
    .argument('<id>', 'its id')
    .action(async (item: string, _options: object, command: Command) => {
      ended(await dismissItem(context, item, command.optsWithGlobals<GlobalOptions>()));
    });
  addSnooze(items, context, ended);
}

function addSnooze(items: Command, context: CliContext, ended: Ended): void {
  items
    .command('snooze')
    .description('put an item off; it comes back by itself')
    .argument('<id>', "its id, or a worker's: then its oldest one")
    .addArgument(new Argument('[span]', 'for how long, e.g. 15m, 4h or 1d').default('1h').argParser(spanOf))
    .action(async (item: string, span: string, _options: object, command: Command) => {
      const given = { item, span: parseSpan(span) ?? 0 };
      ended(await snoozeItem(context, given, command.optsWithGlobals<GlobalOptions>()));
    });
  items
    .command('unsnooze')
    .description('have an item back that you put off')
    .argument('<id>', 'its id')
    .action(async (item: string, _options: object, command: Command) => {
      ended(await snoozeItem(context, { item, span: 0 }, command.optsWithGlobals<GlobalOptions>()));
    });
}

function spanOf(text: string): string {
  if (parseSpan(text) === null) {
    throw new InvalidArgumentError('It must be a time like 90s, 15m, 4h or 1d.');
  }
  return text;
}
