import { namedInCommand, type ProcessEvidence } from '../../protocol/features/liveEvidence';
import { type CommandLine, commandLinesWith } from '../../system/commandLines';
import { belongsToProject } from './projectPlaces';

/**
 * The processes of this project's feature runs: their command line names a feature, and they work in the project or one
 * of its worktrees, or name a path there. Null where the machine cannot tell.
 */
export function runProcesses(root: string): readonly ProcessEvidence[] | null {
  const lines = commandLinesWith('--feature');
  return lines?.flatMap((line) => evidenceOf(line, root)) ?? null;
}

/** The program and its first words, as far as the module or script that runs: `python -u -m zerg.worker_main`. */
const PROGRAM_ARGS = 4;

function evidenceOf({ pid, args, cwd }: CommandLine, root: string): readonly ProcessEvidence[] {
  const named = namedInCommand(args);
  const isHere = [...(cwd === null ? [] : [cwd]), ...args].some((path) => belongsToProject(root, path));
  return named !== null && isHere && (named.worker !== null || isOrchestrator(args)) ? [{ ...named, pid }] : [];
}

/** Whoever only looks at a run names its feature too: `zerg status --feature …`. */
function isOrchestrator(args: readonly string[]): boolean {
  const program = args.slice(0, PROGRAM_ARGS);
  return program.some((arg) => /(?:^|[\\/])zerg(?:\.\w+)*$/i.test(arg)) && !args.includes('status');
}
