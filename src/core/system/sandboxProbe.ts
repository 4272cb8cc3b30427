import { stat } from 'node:fs/promises';
import { errorText } from '../base/errorText';
import { findProgram } from './findProgram';
import { runTool } from './runTool';

export interface SandboxProbeOptions {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** Null where the system knows no user ids. */
  readonly uid: number | null;
  /** Where programs are looked for, as in the variable PATH. */
  readonly path: string;
  /** The sandbox's program and the folder of the binaries that come with it. */
  readonly script: string;
  readonly vendorFolder: string;
}

/** What the sandbox needs on Linux, and the Debian packages that bring it. */
const LINUX_PROGRAMS: Readonly<Record<string, string>> = {
  bwrap: 'bubblewrap',
  socat: 'socat',
  rg: 'ripgrep',
  bash: 'bash',
};
const INSTALL = 'install bubblewrap, socat and ripgrep, e.g. apt-get install bubblewrap socat ripgrep';
const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/**
 * Why no sandbox works on this machine, as part of a sentence that says what to do; null where a trivial run inside one
 * succeeded. Takes some 30 ms where it works.
 */
export async function sandboxTrouble(options: SandboxProbeOptions): Promise<string | null> {
  const { platform, script } = options;
  if (platform !== 'linux' && platform !== 'darwin') {
    return 'there is none for this system; use a container or a Linux subsystem';
  }
  if (!(await isThere(script))) {
    return 'its program is missing from this installation; reinstall Rollcall';
  }
  return platform === 'linux' ? await linuxTrouble(options) : await darwinTrouble(options.path);
}

/** The system calls for a private network and process table, as the sandbox will make them. */
export function trivialRun(helper: string | null, uid: number | null): readonly string[] {
  const capabilities = ['--cap-drop', 'ALL', ...(uid === 0 && helper !== null ? ['--cap-add', 'CAP_SETFCAP'] : [])];
  const own = ['--new-session', '--die-with-parent', '--unshare-net', '--unshare-pid', '--unshare-user'];
  const files = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
  return [...own, ...files, ...capabilities, '--', ...(helper === null ? [] : [helper]), '/bin/sh', '-c', 'exit 0'];
}

async function linuxTrouble({ path, vendorFolder, arch, uid }: SandboxProbeOptions): Promise<string | null> {
  const missing: string[] = [];
  for (const program of Object.keys(LINUX_PROGRAMS)) {
    if (!(await findProgram(program, path, '/')).found) {
      missing.push(LINUX_PROGRAMS[program] ?? program);
    }
  }
  if (missing.length > 0) {
    return `${missing.join(', ')} not found; ${INSTALL}`;
  }
  const helper = `${vendorFolder}/seccomp/${arch}/apply-seccomp`;
  return await refusalOf('bwrap', trivialRun((await isThere(helper)) ? helper : null, uid), path);
}

async function darwinTrouble(path: string): Promise<string | null> {
  if (!(await findProgram('rg', path, '/')).found) {
    return 'ripgrep not found; install it, e.g. brew install ripgrep';
  }
  return await refusalOf(SANDBOX_EXEC, ['-p', '(version 1)(allow default)', '/usr/bin/true'], path);
}

async function refusalOf(command: string, args: readonly string[], path: string): Promise<string | null> {
  try {
    await runTool(command, args, { PATH: path });
    return null;
  } catch (error) {
    const reason = errorText(error).trim().split('\n').at(-1) ?? '';
    return `this machine does not allow one (${reason}); allow unprivileged user namespaces, or run outside a container`;
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
