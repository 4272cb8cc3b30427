import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { quietSettings } from './quietSettings';
import type { SuiteRun } from './runSuiteOnServer';
import { judgeSuite, type SuiteResult, suiteVariables } from './suiteResult';

/** Runs a suite inside the extension host of a desktop VS Code. Without a display it needs to be started under xvfb-run. */
export async function runSuiteOnDesktop(executable: string, run: SuiteRun): Promise<SuiteResult> {
  const work = await mkdtemp(join(tmpdir(), 'rc-desktop-'));
  const report = join(work, 'report.json');
  mkdirSync(join(work, 'user', 'User'), { recursive: true });
  writeFileSync(join(work, 'user', 'User', 'settings.json'), JSON.stringify(quietSettings));
  try {
    const failure = await runTests({
      vscodeExecutablePath: executable,
      extensionDevelopmentPath: run.extension,
      extensionTestsPath: run.suite,
      extensionTestsEnv: { [suiteVariables.report]: report },
      launchArgs: launchArguments(run.workspace, work),
    }).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    return judgeSuite(report, failure);
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}

function launchArguments(workspace: string, work: string): string[] {
  const quiet = [
    '--disable-workspace-trust',
    '--disable-gpu',
    '--disable-updates',
    '--disable-telemetry',
    '--skip-welcome',
  ];
  const folders = ['--user-data-dir', join(work, 'user'), '--extensions-dir', join(work, 'extensions')];
  return [
    workspace,
    ...folders,
    ...quiet,
    '--skip-release-notes',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
}
