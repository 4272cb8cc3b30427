import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatStatusDocument } from '../../src/core/protocol/workers/formatStatusDocument';
import { formatRegistryDocument } from '../../src/core/protocol/workers/registryDocument';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { makeWorkerId, outputDirOf } from '../../src/core/protocol/workers/workerId';
import { launchBrowser, newProfile } from '../support/vscode/browser';
import { runTool } from '../support/vscode/runTool';
import { ServerHost } from '../support/vscode/serverHost';
import { openWorkbench, type Workbench } from '../support/vscode/workbench';
import { type Bench, type BenchRow, median, percentile } from './bench';
import { changeTask, taskId, writeRun } from './runFiles';

/** Files that change, and the row that tells it. */
interface ShownFiles {
  readonly title: string;
  /** Brings the row into sight. */
  readonly open: (workbench: Workbench) => Promise<void>;
  /** What the row's accessible label holds after the change of this round. */
  readonly textOf: (round: number) => string;
  /** Makes the change and gives its instant, epoch milliseconds. */
  readonly change: (round: number) => number;
}

/** A feature run of 200 tasks and 10 workers, of which one task changes. */
function featureRun(root: string): ShownFiles {
  const plan = { root, feature: 'bench', tasks: 200, workers: 10 };
  writeRun(plan);
  const changed = (round: number): string => (round % 2 === 0 ? 'in_progress' : 'complete');
  return {
    title: 'a run of 200 tasks',
    open: async (workbench) => {
      await workbench.row('Workers', 'Level 1').waitFor();
      await workbench.toggleRow(workbench.row('Workers', 'Level 1'));
      await workbench.row('Workers', taskId(0, plan)).waitFor();
    },
    textOf: (round) => `${taskId(0, plan)}, ${changed(round).replace('_', ' ')}`,
    change: (round) => changeTask(plan, { index: 0, status: changed(round) }),
  };
}

/** A background worker of somebody else, whose status.json counts. */
function countingWorker(root: string): ShownFiles {
  const startedAt = Date.now();
  const id = makeWorkerId('consolidate', startedAt);
  const folder = join(root, '.keysarium', 'workers', id);
  mkdirSync(folder, { recursive: true });
  const started_at = formatTimestamp(startedAt);
  const about = { worker_id: id, type: 'consolidate', status: 'running', started_at, completed_at: null } as const;
  const entry = { ...about, model: 'sonnet', output_dir: outputDirOf(id), retry_count: 0, extra: {} };
  const registry = { version: '1.0', maxConcurrent: 3, rows: [{ kind: 'entry', entry } as const], extra: {} };
  const change = (round: number): number => {
    const progress = { phase: 'scanning', items_processed: round + 1, total_items: 9_000 };
    const path = join(folder, 'status.json');
    writeFileSync(`${path}.tmp`, formatStatusDocument({ ...about, progress, error: null }));
    renameSync(`${path}.tmp`, path);
    return Date.now();
  };
  change(-1);
  writeFileSync(join(root, '.keysarium', 'workers', 'registry.json'), formatRegistryDocument(registry));
  return {
    title: 'a background worker',
    open: async (workbench) => {
      await workbench.row('Workers', 'consolidate').waitFor();
    },
    textOf: (round) => `${String(round + 1)}/9000 scanning`,
    change,
  };
}

/** The instant at which a row comes on screen whose accessible label holds `text`; a script of the page itself tells it. */
async function shownAt({ page }: Workbench, text: string): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('[role="treeitem"][aria-label*="${text}"]') !== null) {
        observer.disconnect();
        resolve(Date.now());
      }
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  })`);
}

async function timesOf(url: string, { open, textOf, change }: ShownFiles, rounds: number): Promise<readonly number[]> {
  const browser = await launchBrowser();
  try {
    const workbench = await openWorkbench(await newProfile(browser), url);
    await workbench.openContainer('Workers');
    await open(workbench);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const shown = shownAt(workbench, textOf(round));
      // Changes come at any moment between two looks, as they do in life.
      await workbench.page.waitForTimeout(400 + 37 * (round % 20));
      const changedAt = change(round);
      times.push((await shown) - changedAt);
    }
    await workbench.page.close({ runBeforeUnload: true });
    return times;
  } finally {
    await browser.close();
  }
}

function rowsOf(title: string, times: readonly number[]): readonly BenchRow[] {
  const row = { unit: 'ms', reference: null, note: null };
  return [
    { ...row, title: `file change to tree row, ${title}, p50`, value: median(times), bars: [] },
    {
      ...row,
      title: `file change to tree row, ${title}, p95`,
      value: percentile(times, 0.95),
      bars: [{ of: 'value', limit: 300 }],
    },
  ];
}

/** From the change of a file to its row in the workbench of a real VS Code. */
export const rowShown: Bench = {
  name: 'row',
  run: async ({ tempDir, short }) => {
    const vsix = join(tempDir, 'rollcall.vsix');
    await runTool(process.execPath, ['scripts/package.mjs', vsix]);
    const host = await ServerHost.create();
    try {
      await host.installVsix(vsix);
      await host.start();
      const rows: BenchRow[] = [];
      for (const [name, files] of Object.entries({ run: featureRun, worker: countingWorker })) {
        const root = join(tempDir, `row-${name}`);
        mkdirSync(root);
        const shown = files(root);
        rows.push(...rowsOf(shown.title, await timesOf(host.url(root), shown, short ? 8 : 60)));
      }
      return rows;
    } finally {
      await host.stop();
    }
  },
};
