import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { errorText } from '../core/base/errorText';
import { type AgentLanguage, agentLanguages } from '../core/host/installAgentRuntime';
import { sharedEngineNames } from '../core/protocol/config/configModel';
import { displayText } from '../core/protocol/workers/displayText';
import type { Surface } from '../core/protocol/workers/surface';
import { usageText } from '../core/protocol/workers/workerTexts';
import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from './cliContext';
import { agentInstall, type AgentInstallOptions } from './commands/agentInstall';
import { doctor } from './commands/doctor';
import { events, type EventsOptions } from './commands/events';
import { resetFuse } from './commands/fuse';
import { gc, type GcOptions } from './commands/gc';
import { list } from './commands/list';
import { logs, type LogsOptions } from './commands/logs';
import { notify } from './commands/notify';
import { cancelQueued, queue } from './commands/queue';
import { retry } from './commands/retry';
import { isolationLevels, start, type StartOptions } from './commands/start';
import { status } from './commands/status';
import { stop, type StopOptions } from './commands/stop';
import { stopAll } from './commands/stopAll';
import { supervise } from './commands/supervise';
import { why } from './commands/why';
import { formatJson, refusalJson } from './json/resultJson';
import { instantText, zoneName } from './parseInstant';
import { parseSince } from './parseSince';
import { refuse } from './refuse';
import { addSessionCommands } from './sessionCommands';
import { addRunCommands } from './runCommands';
import type { StatusOptions } from './statusLook';
import type { WaitOptions } from './tellAccepted';
import { addWorktreeCommands } from './worktreeCommands';
import { UsageError } from './usageError';

/** Runs one command line (without `node` and script) to its exit code. Never throws. */
export async function runCli(args: readonly string[], context: CliContext): Promise<ExitCode> {
  const run: Run = { code: 0 };
  const program = createProgram(context, run);
  try {
    await program.parseAsync(args, { from: 'user' });
    return run.code;
  } catch (error) {
    return exitCodeOf(
      error,
      context,
      wantsJson(args) ? { ...program.opts<GlobalOptions>(), json: true } : program.opts(),
    );
  }
}

/** Where an action leaves its exit code: commander's actions return nothing. */
interface Run {
  code: ExitCode;
}

function createProgram(context: CliContext, run: Run): Command {
  const program = new Command('rollcall')
    .description('Start, watch and stop background AI-agent workers.')
    .option('--cwd <folder>', 'folder to find the project from (default: the current one)')
    .option('--json', 'print JSON with a versioned schema')
    .addOption(new Option('--surface <name>', 'whose words the texts use').choices(['cli', 'slash']))
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => {
        context.outRaw(text);
      },
      writeErr: (text) => {
        context.err(text.trimEnd());
      },
    })
    .exitOverride()
    .helpCommand(true);
  addReadingCommands(program, context, run);
  addChangingCommands(program, context, run);
  addKeepingCommands(program, context, run);
  addTellingCommands(program, context, run);
  addDoctor(program, context, run);
  addNotify(program, context, run);
  addRunCommands(program, context, (code) => {
    run.code = code;
  });
  addWorktreeCommands(program, context, (code) => {
    run.code = code;
  });
  addAgentCommands(program, context, run);
  // Last, because a command takes over the strictness of its program when it is added.
  return program.allowExcessArguments().action((options: GlobalOptions, { args }: Command) => {
    throw new UsageError(noCommandText(surfaceOf(options), args[0]));
  });
}

function addReadingCommands(program: Command, context: CliContext, run: Run): void {
  addStatus(program, context, run);
  program
    .command('list')
    .description('show the types that can be started')
    .action(async (_options: object, command: Command) => {
      run.code = await list(context, command.optsWithGlobals<GlobalOptions>());
    });
  program
    .command('logs')
    .description("show a worker's log")
    .argument('<id>', 'worker id or a unique prefix')
    .option('-f, --follow', 'go on until the worker ends')
    .option('--tail <lines>', 'only the last lines', lineCount)
    .action(async (id: string, _options: object, command: Command) => {
      run.code = await logs(context, id, command.optsWithGlobals<LogsOptions>());
    });
}

function addStatus(program: Command, context: CliContext, run: Run): void {
  program
    .command('status')
    .description('show all workers, and the feature runs of other sessions')
    .option('--feature <name>', 'only this feature run')
    .option('--tasks', 'each feature run with all its tasks')
    .option('--workers', 'each feature run with all its workers')
    .option('--watch', 'show it again after each change, until Ctrl-C')
    .addOption(
      new Option('--at <instant>', 'count ages to that moment; such a look writes nothing')
        .argParser(instantText)
        .conflicts('watch'),
    )
    .option('--tz <zone>', "zone of a feature run's times that name none (default: the machine's)", zoneName)
    .action(async (_options: object, command: Command) => {
      run.code = await status(context, command.optsWithGlobals<StatusOptions>());
    });
}

function addChangingCommands(program: Command, context: CliContext, run: Run): void {
  program
    .command('start')
    .description('start a worker')
    .argument('<type>', 'see `rollcall list`')
    .addOption(new Option('--isolation <level>', 'how it is kept from what it may not write').choices(isolationLevels))
    .addOption(new Option('--engine <name>', 'what does the work').choices(sharedEngineNames))
    .option('--when-free', 'where no slot is free, start it when one is')
    .option('--wait', 'wait for its end; Ctrl-C ends the waiting, not the worker')
    .action(async (type: string, _options: object, command: Command) => {
      run.code = await start(context, type, command.optsWithGlobals<StartOptions>());
    });
  program
    .command('retry')
    .description('start a new worker in place of a failed or unknown one')
    .argument('<id>', 'worker id or a unique prefix')
    .option('--wait', 'wait for its end; Ctrl-C ends the waiting, not the worker')
    .action(async (id: string, _options: object, command: Command) => {
      run.code = await retry(context, id, command.optsWithGlobals<WaitOptions>());
    });
  program
    .command('stop')
    .description('stop a worker')
    .argument('[id]', 'worker id or a unique prefix')
    .option('--all', 'every worker, and take queued starts back')
    .option('--force', 'end its processes now; repeated, with the next harder step')
    .option('--wait', 'wait for its end; Ctrl-C ends the waiting, not the stop')
    .action(async (id: string | undefined, { all }: { readonly all?: true }, command: Command) => {
      const options = command.optsWithGlobals<StopOptions>();
      if ((id === undefined) !== (all === true)) {
        throw new UsageError('Give the id of one worker, or --all.');
      }
      run.code = id === undefined ? await stopAll(context, options) : await stop(context, id, options);
    });
}

function addKeepingCommands(program: Command, context: CliContext, run: Run): void {
  const queued = program
    .command('queue')
    .description('show the starts that wait for a free slot')
    .action(async (_options: object, command: Command) => {
      run.code = await queue(context, command.optsWithGlobals<GlobalOptions>());
    });
  queued
    .command('cancel')
    .description('take a queued start back')
    .argument('<id>', 'its id or the unique beginning of it')
    .action(async (id: string, _options: object, command: Command) => {
      run.code = await cancelQueued(context, id, command.optsWithGlobals<GlobalOptions>());
    });
  program
    .command('fuse')
    .description('what a blown fuse needs of you')
    .command('reset')
    .description('you have seen it: a worker needs you no more and may be retried; the project starts workers again')
    .argument('<id>', 'worker id or a unique prefix, or of the whole project: logs, disk')
    .action(async (id: string, _options: object, command: Command) => {
      run.code = await resetFuse(context, id, command.optsWithGlobals<GlobalOptions>());
    });
  program
    .command('gc')
    .description('list the folders of workers that ended more than a day ago')
    .option('--apply', 'move them into a trash beside the registry')
    .option('--undo', 'put back what was moved last')
    .action(async (_options: object, command: Command) => {
      run.code = await gc(context, command.optsWithGlobals<GcOptions>());
    });
}

function addTellingCommands(program: Command, context: CliContext, run: Run): void {
  program
    .command('why')
    .description('show how a worker or agent came to be as it is, what it left, and what to do next')
    .argument('<id>', 'worker id, a unique prefix of one, or the name of an agent')
    .action(async (id: string, _options: object, command: Command) => {
      run.code = await why(context, id, command.optsWithGlobals<GlobalOptions>());
    });
  program
    .command('events')
    .description('show the log of events')
    .option('--since <start>', 'a sequence number, an age like 30m, or an instant', (text) =>
      parseSince(text, Date.now()),
    )
    .option('-f, --follow', 'go on until Ctrl-C')
    .action(async (_options: object, command: Command) => {
      run.code = await events(context, command.optsWithGlobals<EventsOptions>());
    });
  program
    .command('supervise')
    .description('lead this project without VS Code; Ctrl-C leaves the workers running')
    .action(async (_options: object, command: Command) => {
      run.code = await supervise(context, command.optsWithGlobals<GlobalOptions>());
    });
}

function addDoctor(program: Command, context: CliContext, run: Run): void {
  program
    .command('doctor')
    .description('show what there is of each engine, and how to set it up')
    .action(async (_options: object, command: Command) => {
      run.code = await doctor(context, command.optsWithGlobals<GlobalOptions>());
    });
}

function addNotify(program: Command, context: CliContext, run: Run): void {
  program
    .command('notify')
    .description('tell of something that leaves no trace on disk')
    .addArgument(new Argument('<event>', 'what happened').choices(['bto-test']))
    .action(async (event: 'bto-test', _options: object, command: Command) => {
      run.code = await notify(context, event, command.optsWithGlobals<GlobalOptions>());
    });
}

function addAgentCommands(program: Command, context: CliContext, run: Run): void {
  const agent = program.command('agent').description('session agents');
  agent
    .command('install')
    .description('put the runtime of a language where session agents look for it')
    .addArgument(new Argument('<language>').choices(agentLanguages))
    .option('--force', 'also where another runtime has the name; it is kept as .bak')
    .action(async (language: AgentLanguage, _options: object, command: Command) => {
      run.code = await agentInstall(context, language, command.optsWithGlobals<AgentInstallOptions>());
    });
  addSessionCommands(program, agent, context, (code) => {
    run.code = code;
  });
}

/** The protocol's lines, and in a terminal what was not understood and where all commands stand. */
function noCommandText(surface: Surface, given: string | undefined): string {
  if (surface !== 'cli') {
    return usageText(surface);
  }
  const unknown = given === undefined ? [] : [`Unknown command: ${displayText(given)}`];
  return [usageText(surface), ...unknown, 'All commands: rollcall --help'].join('\n');
}

/** A command line that could not be read to its end may have asked for JSON all the same. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).includes('--json');
}

/** The message stands on stderr already; who asked for JSON finds it on stdout as well. */
function usageRefused(context: CliContext, options: GlobalOptions, message: string): ExitCode {
  if (options.json === true) {
    context.out(formatJson(refusalJson({ code: 'usage', message })));
  }
  return 2;
}

function lineCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of lines.');
  }
  return Number(text);
}

function exitCodeOf(error: unknown, context: CliContext, options: GlobalOptions): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has printed its message already; 0 is its code after a help that was asked for.
    return error.exitCode === 0 ? 0 : usageRefused(context, options, error.message.replace(/^error: /, ''));
  }
  if (error instanceof UsageError) {
    context.err(error.message);
    return usageRefused(context, options, error.message);
  }
  return refuse(context, options, { code: 'failed', message: errorText(error) });
}
