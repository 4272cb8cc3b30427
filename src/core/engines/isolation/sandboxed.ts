import { join } from 'node:path';
import type { IsolationOrder } from '../../protocol/keeper/isolationOrder';
import type { EngineCommand } from '../../protocol/keeper/keeperSpec';
import type { EngineSandbox } from '../engineSandbox';
import { INSIDE_SANDBOX, type SandboxBox } from '../../system/sandboxBox';

/** The sandbox's program `srt`, as it is shipped; absolute paths. */
export interface SandboxProgram {
  /** A Node executable. */
  readonly nodePath: string;
  readonly script: string;
}

/** What a sandboxed worker may write. Paths are absolute and free of links, else the sandbox leaves them out. */
export interface SandboxPolicy {
  readonly program: SandboxProgram;
  readonly box: SandboxBox;
  readonly root: string;
  /** The worker's own folder. */
  readonly folder: string;
  /** What its type may write beside that. */
  readonly mayWrite: readonly string[];
  /** The person's home folder, or null. */
  readonly home: string | null;
  /** Hosts that it may reach beside those of its engine. */
  readonly hosts: readonly string[];
  /** What a program that asks a model needs; absent for the builtin engine and for commands. */
  readonly engine?: EngineSandbox;
}

/** The keeper's own files in a worker's folder (workers.md §1): a sandboxed worker cannot write them. */
const KEEPER_FILES = ['keeper.json', 'output.raw', 'worker.log'];

/** What no worker may change (workers.md §5), plus what would run code later, even below an allowed folder. */
const PROTECTED = ['researches', 'features', 'CLAUDE.md', '.claude', '.git', '.vscode'];

/** Folders that the sandbox's program makes writable unasked, in the home folder and beside it. */
const OPEN_IN_HOME = ['.npm/_logs', '.claude/debug'];
const OPEN_ANYWHERE = ['/tmp/claude', '/private/tmp/claude'];

/**
 * Runs inside: goes to the worker's folder of work, marks the worker, and keeps its exit code. It is handed its values
 * as arguments, so nothing is ever put into its text.
 */
const INSIDE = `cd -- "$1" || exit 126
exit_file=$2
shift 2
env ${INSIDE_SANDBOX} "$@"
code=$?
printf %s "$code" >"$exit_file"
exit "$code"`;

/** The same for a command that must not look like part of Electron. */
const INSIDE_PLAIN = `unset ELECTRON_RUN_AS_NODE\n${INSIDE}`;

/** Puts the sandbox around a command (engines.md, "Isolation"), as data: what to start and what must be there first. */
export function sandboxed(
  command: EngineCommand,
  policy: SandboxPolicy,
): Extract<IsolationOrder, { level: 'sandbox' }> {
  const { box, folder, mayWrite } = policy;
  const inside = 'ELECTRON_RUN_AS_NODE' in command.env ? INSIDE : INSIDE_PLAIN;
  const before = [...reachingLoopback(hostsOf(policy)), ...scrubbing(policy)];
  const run = [...before, command.command, ...command.args];
  const worker = ['/bin/sh', '-c', inside, 'rollcall', command.cwd, box.exitFile, ...run];
  return {
    level: 'sandbox',
    note: null,
    run: {
      command: policy.program.nodePath,
      args: [policy.program.script, '--settings', box.settingsFile, '--', ...worker],
      env: { ...command.env, ...sandboxEnv(box) },
      // Its program looks for dangerous files from where it runs; in an empty folder it finds and leaves none.
      cwd: box.serviceFolder,
      stdin: command.stdin,
    },
    place: {
      settingsFile: box.settingsFile,
      settings: `${JSON.stringify(settingsOf(policy), null, 2)}\n`,
      writable: [folder, box.tempFolder, ...mayWrite, ...(policy.engine?.writable ?? [])],
    },
  };
}

function hostsOf({ hosts, engine }: SandboxPolicy): readonly string[] {
  return [...hosts, ...(engine?.hosts ?? [])];
}

/** Inside there is another loopback than the machine's, and the way out leads through the proxy for it too. */
function reachingLoopback(hosts: readonly string[]): readonly string[] {
  return hosts.some((host) => LOOPBACK.has(host)) ? ['env', 'NO_PROXY=', 'no_proxy='] : [];
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Leaves the script that hides keys from the model's commands, and names it to the program. */
function scrubbing({ box, engine }: SandboxPolicy): readonly string[] {
  if (engine?.scrub === null || engine?.scrub === undefined) {
    return [];
  }
  const { variable, names } = engine.scrub;
  const file = join(box.tempFolder, '.rollcall-scrub');
  return ['/bin/sh', '-c', SCRUB, 'rollcall', `unset ${names.join(' ')}`, file, variable];
}

const SCRUB = `printf '%s\\n' "$1" >"$2" || exit 126
export "$3=$2"
shift 3
exec "$@"`;

/** TMPDIR is for the sandbox's program; it gives the worker the other one, which it does not make itself. */
function sandboxEnv({ serviceFolder, tempFolder }: SandboxBox): Readonly<Record<string, string>> {
  return {
    ELECTRON_RUN_AS_NODE: '1',
    TMPDIR: serviceFolder,
    TMP: tempFolder,
    TEMP: tempFolder,
    CLAUDE_CODE_TMPDIR: tempFolder,
  };
}

function settingsOf(policy: SandboxPolicy): object {
  const { box, root, folder, mayWrite, home, engine } = policy;
  const opened = [...OPEN_ANYWHERE, ...(home === null ? [] : OPEN_IN_HOME.map((path) => join(home, path)))];
  return {
    network: { allowedDomains: hostsOf(policy), deniedDomains: [] },
    filesystem: {
      denyRead: [],
      allowWrite: [folder, box.tempFolder, ...mayWrite, ...(engine?.writable ?? [])],
      denyWrite: [
        ...KEEPER_FILES.map((name) => join(folder, name)),
        ...PROTECTED.map((path) => join(root, path)),
        ...opened,
        ...(engine?.protects ?? []),
      ],
    },
  };
}
