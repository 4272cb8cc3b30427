import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { closeBrowser, launchBrowser, newProfile } from './browser';
import type { HostTargetName } from './hostTargets';
import { ServerHost } from './serverHost';
import { judgeSuite, type SuiteResult, suiteVariables } from './suiteResult';

/** A bundled suite, the extension that it tests, and the workspace that the window opens. */
export interface SuiteRun {
  readonly extension: string;
  /** A CommonJS module that exports `run(): Promise<void>`. */
  readonly suite: string;
  readonly workspace: string;
  /** Where screenshots and logs of a failed run go. */
  readonly artifacts: string;
}

interface WindowEnd {
  readonly trouble?: string;
  readonly logs?: readonly { readonly relativePath: string; readonly contents: string }[];
}

const limitMs = 900_000;

/** Runs a suite inside the extension host of a VS Code server, with a headless Chromium as its window. */
export async function runSuiteOnServer(target: HostTargetName, run: SuiteRun): Promise<SuiteResult> {
  const reports = join(run.artifacts, target);
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const report = join(reports, 'report.json');
  const output = join(reports, 'output.txt');
  const host = await ServerHost.create({
    target,
    testDriver: true,
    env: { [suiteVariables.report]: report, [suiteVariables.output]: output },
  });
  try {
    await host.start();
    const browser = await launchBrowser();
    try {
      const page = await (await newProfile(browser)).newPage();
      const end = await windowEnd(page, host, run);
      const result = judgeSuite(report, end.trouble);
      if (result.trouble !== undefined || result.failed.length > 0) {
        await keepEvidence({ page, host, end, folder: reports });
      }
      return result;
    } finally {
      await closeBrowser(browser);
    }
  } finally {
    await host.stop();
    printFile(output);
  }
}

/** Opens a window of the host that runs the suite, and resolves with how that ended; `page` shows nothing yet. */
export async function windowEnd(page: Page, host: ServerHost, run: Omit<SuiteRun, 'artifacts'>): Promise<WindowEnd> {
  const ended = new Promise<WindowEnd>((resolve, reject) => {
    const limit = setTimeout(() => {
      resolve({ trouble: `no result after ${limitMs / 1000} s` });
    }, limitMs).unref();
    page.once('close', () => {
      clearTimeout(limit);
    });
    page.on('crash', () => {
      resolve({ trouble: 'the page crashed' });
    });
    host.ended().then(() => {
      resolve({ trouble: 'the VS Code server ended' });
    }, reject);
    const onExit = (_code: number, logs: WindowEnd['logs']): void => {
      resolve(logs === undefined ? {} : { logs });
    };
    page.exposeFunction('codeAutomationExit', onExit).catch(reject);
  });
  // The workbench mixes its own log into what it says here; the suite's lines come by file.
  await page.exposeFunction('codeAutomationLog', () => undefined);
  const payload = { extensionDevelopmentPath: host.uri(run.extension), extensionTestsPath: host.uri(run.suite) };
  await page.goto(host.url(run.workspace, payload));
  return await ended;
}

interface Evidence {
  readonly page: Page;
  readonly host: ServerHost;
  readonly end: WindowEnd;
  readonly folder: string;
}

async function keepEvidence({ page, host, end, folder }: Evidence): Promise<void> {
  // A crashed page gives no picture; the logs are still worth having.
  await page.screenshot({ path: join(folder, 'window.png') }).catch(() => undefined);
  copyFileSync(join(host.workFolder, 'server.log'), join(folder, 'server.log'));
  for (const { relativePath, contents } of end.logs ?? []) {
    writeFileSync(join(folder, relativePath.replaceAll('/', '_')), contents);
  }
}

function printFile(path: string): void {
  process.stdout.write(existsSync(path) ? readFileSync(path, 'utf8') : '');
}
