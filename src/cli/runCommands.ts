import { Argument, type Command, InvalidArgumentError } from 'commander';
import { type TaskStatusWord, taskStatuses } from '../core/protocol/features/writing/writeTask';
import type { CliContext, ExitCode } from './cliContext';
import { heartbeat, type HeartbeatOptions } from './commands/heartbeat';
import { task, type TaskOptions } from './commands/task';

/** Adds the commands for those who work on a feature run. `ended` gets the exit code. */
export function addRunCommands(program: Command, context: CliContext, ended: (code: ExitCode) => void): void {
  program
    .command('heartbeat')
    .description('tell that a worker of a feature run lives, and what it is at')
    .requiredOption('--worker <number>', 'the worker', wholeNumber)
    .option('--task <id>', 'the task that it is at', plainText)
    .option('--step <word>', 'what it does, e.g. implementing', plainText)
    .option('--progress <percent>', 'how far it is with the task', percent)
    .option('--current-step <number>', 'which step of the task, from 1', wholeNumber)
    .option('--total-steps <number>', 'how many steps the task has', wholeNumber)
    .option('--step-states <words>', 'the state of each step, e.g. completed,in_progress,pending', words)
    .option('--feature <name>', 'the feature (default: the one with the task, else the current one)')
    .action(async (_options: object, command: Command) => {
      ended(await heartbeat(context, command.optsWithGlobals<HeartbeatOptions>()));
    });
  program
    .command('task')
    .description('set the status of a task of a feature run')
    .argument('<id>', 'the task', plainText)
    .addArgument(new Argument('<status>', 'its new status').choices(taskStatuses))
    .option('--worker <number>', 'the worker that has it', wholeNumber)
    .option('--error <text>', 'why it failed or is blocked')
    .option('--feature <name>', 'the feature (default: the one with the task, else the current one)')
    .action(async (id: string, status: TaskStatusWord, _options: object, command: Command) => {
      ended(await task(context, { task: id, status }, command.optsWithGlobals<TaskOptions>()));
    });
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number, e.g. 0.');
  }
  return Number(text);
}

function percent(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 100) {
    throw new InvalidArgumentError('It must be a whole number from 0 to 100.');
  }
  return Number(text);
}

/** Ids and steps are shown in one line by whoever reads them. */
function plainText(text: string): string {
  if (!/^[^\p{Cc}]{1,200}$/u.test(text) || text.trim() === '') {
    throw new InvalidArgumentError('It must be one line of text.');
  }
  return text;
}

function words(text: string): readonly string[] {
  const listed = text.split(',').map((word) => word.trim());
  if (listed.some((word) => !/^[a-z_]{1,30}$/.test(word))) {
    throw new InvalidArgumentError('It must be words like completed, in_progress, pending or failed, with commas.');
  }
  return listed;
}
