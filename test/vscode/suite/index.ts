import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { type SuiteReport, suiteVariables } from '../../support/vscode/suiteResult';

/**
 * Called by VS Code inside the extension host: runs every bundled `*.test.js` beside this module and leaves a report.
 * Rejects when a test failed.
 */
export async function run(): Promise<void> {
  process.setSourceMapsEnabled(true);
  const output = process.env[suiteVariables.output];
  if (output !== undefined) {
    // The host's console is mixed with the workbench's log, so mocha's lines go to a file that the launcher prints.
    Object.assign(Mocha.reporters.Base, {
      consoleLog: (...parts: unknown[]) => {
        appendFileSync(output, `${format(...parts)}\n`);
      },
    });
  }
  // As in vitest.config.mts: a test that failed is run once more, and named.
  const mocha = new Mocha({ ui: 'bdd', color: false, timeout: 90_000, reporter: 'spec', forbidOnly: true, retries: 1 });
  for (const file of readdirSync(__dirname).filter((name) => name.endsWith('.test.js'))) {
    mocha.addFile(join(__dirname, file));
  }
  const report = await runToEnd(mocha);
  const reportFile = process.env[suiteVariables.report];
  if (reportFile !== undefined) {
    writeFileSync(reportFile, JSON.stringify(report));
  }
  if (report.failed.length > 0) {
    throw new Error(`${report.failed.length} tests failed`);
  }
}

async function runToEnd(mocha: Mocha): Promise<SuiteReport> {
  const passed: string[] = [];
  const failed: string[] = [];
  const skipped: string[] = [];
  const retried: string[] = [];
  await new Promise((resolve) => {
    mocha
      .run(resolve)
      .on('pass', (test) => passed.push(test.fullTitle()))
      .on('fail', (test) => failed.push(test.fullTitle()))
      .on('pending', (test) => skipped.push(test.fullTitle()))
      .on('retry', (test: Mocha.Test, error: Error) =>
        retried.push(`${test.fullTitle()} (first: ${error.message.split('\n')[0]})`),
      );
  });
  return { passed, failed, skipped, retried };
}
