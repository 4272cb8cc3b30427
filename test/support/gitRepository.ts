import { execFileSync } from 'node:child_process';

/** Runs git in a folder, as nobody in particular. `at` is the time that a commit is given, ISO 8601. */
export type RunGit = (args: readonly string[], at?: string) => void;

/** Git for one folder, without the person's own settings. */
export function gitIn(folder: string): RunGit {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', '-c', 'init.defaultBranch=main'];
  return (args, at = '2026-02-14T12:00:00Z') => {
    execFileSync('git', [...who, ...args], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_DATE: at,
        GIT_COMMITTER_DATE: at,
      },
      stdio: 'pipe',
    });
  };
}
