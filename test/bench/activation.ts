import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ownIdentity } from '../../src/core/system/processIdentity';
import { openWindowHost } from '../support/openWindowHost';
import { closeBrowser, launchBrowser, newProfile } from '../support/vscode/browser';
import { ServerHost } from '../support/vscode/serverHost';
import { windowEnd } from '../support/vscode/runSuiteOnServer';
import { type ActivationReport, probeVariable } from '../vscode/probe/activationReport';
import { type Bench, type BenchContext, type BenchRow, median } from './bench';
import { writeFleet } from './fleetFiles';

/** One kind of workspace: how it is made, and how long activation may take in it, milliseconds. */
interface Workspace {
  readonly title: string;
  readonly limit: number;
  readonly make: (root: string, distDir: string) => Promise<void>;
}

/** Nothing synchronous may take longer, milliseconds. */
const BLOCKED_LIMIT = 16;

const WORKSPACES: readonly Workspace[] = [
  { title: 'empty workspace', limit: 30, make: async () => Promise.resolve() },
  {
    title: '1,000 workers, 20 of them running',
    limit: 150,
    make: ledFleet,
  },
];

/** A thousand workers as the last window left them: what they did stands in the log of events. */
async function ledFleet(root: string, distDir: string): Promise<void> {
  await writeFleet({ root, count: 1_000, active: 20, living: await ownIdentity() });
  const window = await openWindowHost(root, { distDir });
  await window.watch();
  await window.lead();
  await window.shutdown();
}

/** The extension as it is shipped, but for what activates it: the probe does, once the host has come to rest. */
function layExtension(folder: string): void {
  mkdirSync(folder);
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, activationEvents: [] }));
  for (const part of ['dist', 'l10n', 'media', 'package.nls.json']) {
    cpSync(part, join(folder, part), { recursive: true });
  }
}

async function bundleProbe(folder: string): Promise<string> {
  const outfile = join(folder, 'activationProbe.js');
  await build({
    entryPoints: ['test/vscode/probe/activationProbe.ts'],
    outfile,
    bundle: true,
    external: ['vscode'],
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
  });
  return outfile;
}

interface Stage {
  readonly host: ServerHost;
  readonly extension: string;
  readonly probe: string;
  readonly report: string;
}

/** A stage whose server runs. */
async function openStage({ tempDir }: BenchContext): Promise<Stage> {
  const report = join(tempDir, 'activation.json');
  const host = await ServerHost.create({ testDriver: true, env: { [probeVariable]: report } });
  const extension = join(tempDir, 'extension');
  layExtension(extension);
  await host.start();
  return { host, extension, probe: await bundleProbe(tempDir), report };
}

/** What one window measures that shows `workspace`. */
async function activated(stage: Stage, workspace: string): Promise<ActivationReport> {
  const { host, extension, probe, report } = stage;
  rmSync(report, { force: true });
  const browser = await launchBrowser();
  try {
    const page = await (await newProfile(browser)).newPage();
    const { trouble } = await windowEnd(page, host, { extension, suite: probe, workspace });
    if (trouble !== undefined) {
      throw new Error(`the activation was not measured: ${trouble}`);
    }
    return JSON.parse(readFileSync(report, 'utf8')) as ActivationReport;
  } finally {
    await closeBrowser(browser);
    await host.extensionHostsGone();
  }
}

function rowsOf({ title, limit }: Workspace, reports: readonly ActivationReport[]): readonly BenchRow[] {
  const row = (what: string, of: (report: ActivationReport) => number, most: number | null): BenchRow => ({
    title: `${what}, ${title}`,
    unit: 'ms',
    value: median(reports.map(of)),
    reference: null,
    bars: most === null ? [] : [{ of: 'value', limit: most }],
    note: null,
  });
  const reference = { title: 'the same host at rest', value: median(reports.map(({ restMs }) => restMs)) };
  const cpu = median(reports.map(({ cpuMs }) => cpuMs));
  return [
    { ...row('activation', ({ activeMs }) => activeMs, limit), note: `${cpu.toFixed(0)} ms of processor time` },
    row('the same with what VS Code does for it', ({ askedMs }) => askedMs, null),
    row('the same until the first look is shown', ({ shownMs }) => shownMs, null),
    row('the same until the window leads', ({ openedMs }) => openedMs, null),
    { ...row('longest pause until then', ({ blockedMs }) => blockedMs, BLOCKED_LIMIT), reference },
    { ...row('longest pause in the three seconds behind', (one) => one.blockedAfterMs, BLOCKED_LIMIT), reference },
  ];
}

/** Activation inside the extension host of a real VS Code; pauses by the host's event loop, looked at each millisecond. */
export const activation: Bench = {
  name: 'activation',
  run: async (context) => {
    const stage = await openStage(context);
    const root = join(context.tempDir, 'activation');
    try {
      const rows: BenchRow[] = [];
      for (const workspace of WORKSPACES) {
        const reports: ActivationReport[] = [];
        for (let round = 0; round < (context.short ? 3 : 9); round += 1) {
          mkdirSync(root);
          await workspace.make(root, context.distDir);
          reports.push(await activated(stage, root));
          rmSync(root, { recursive: true });
        }
        rows.push(...rowsOf(workspace, reports));
      }
      return rows;
    } finally {
      await stage.host.stop();
    }
  },
};
