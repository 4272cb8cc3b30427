import type { Command } from 'commander';
import type { CliContext, ExitCode, GlobalOptions } from './cliContext';
import {
  diffWorktree,
  listWorktrees,
  mergeWorktree,
  type MergeOptions,
  removeWorktree,
  type RemoveOptions,
} from './commands/worktree';

const NAME = ['<name>', "the agent's name or the worker's id; see `rollcall worktree list`"] as const;

/** Adds the commands for worktrees. `ended` gets the exit code. */
export function addWorktreeCommands(program: Command, context: CliContext, ended: (code: ExitCode) => void): void {
  const worktree = program
    .command('worktree')
    .description('what agents and workers edited in git worktrees of their own');
  worktree
    .command('list')
    .description('show them, and what is in each')
    .action(async (_options: object, command: Command) => {
      ended(await listWorktrees(context, command.optsWithGlobals<GlobalOptions>()));
    });
  worktree
    .command('diff')
    .description('show everything that one has more than the project, committed or not')
    .argument(...NAME)
    .action(async (name: string, _options: object, command: Command) => {
      ended(await diffWorktree(context, name, command.optsWithGlobals<GlobalOptions>()));
    });
  worktree
    .command('merge')
    .description('merge its branch into the one that the project is on; a conflict changes nothing')
    .argument(...NAME)
    .option('--commit', 'commit first what is not committed there')
    .action(async (name: string, _options: object, command: Command) => {
      ended(await mergeWorktree(context, name, command.optsWithGlobals<MergeOptions>()));
    });
  worktree
    .command('remove')
    .description('remove it and its branch, where nothing in it would be lost')
    .argument(...NAME)
    .option('--discard', 'throw away what is not merged; a commit of it is kept and named')
    .action(async (name: string, _options: object, command: Command) => {
      ended(await removeWorktree(context, name, command.optsWithGlobals<RemoveOptions>()));
    });
}
