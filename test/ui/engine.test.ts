import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { isKeeperClaim } from '../../src/core/protocol/keeper/keeperClaim';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { endKeepersOf } from '../support/endKeepersOf';
import { engineEndpoint } from '../support/engines/engineEndpoint';
import { enginePath } from '../support/engines/installEngines';
import { realEngines } from '../support/engines/realEngines';
import { startModelServer, type ModelServer } from '../support/modelServer/modelServer';
import { listProcesses } from '../support/vscode/listProcesses';
import { openUiWindow, type UiWindow } from './uiWindow';

const TYPE = 'pattern-analysis';

let ui: UiWindow;
let server: ModelServer;
let home: string;
let configBefore: string;

function configFile(): string {
  return join(ui.project, '.vscode', 'workers.json');
}

/** Has workers of the type be done by claude, which asks the scripted model. */
async function useClaude(scenario: string): Promise<void> {
  const { own, configured } = engineEndpoint('claude', server.urlOf(scenario), 'dummy-key-0123456789');
  const added = JSON.stringify({ engine: 'claude', isolation: 'audit', env: { ...own, ...configured, HOME: home } });
  await writeFile(configFile(), configBefore.replace('"types": {', `"types": { "${TYPE}": ${added},`));
}

async function start(): Promise<void> {
  await ui.workbench.inlineAction(ui.workbench.row('Worker Types', TYPE), 'Start');
}

function workersDir(): string {
  return join(ui.project, '.keysarium', 'workers');
}

interface SeenWorker {
  readonly id: string;
  readonly pid: number | undefined;
  /** The class of each exit. */
  readonly ends: readonly (string | undefined)[];
}

/** What the keeper of the newest worker tells. */
async function newestWorker(): Promise<SeenWorker> {
  const names = (await readdir(workersDir())).filter((name) => name.startsWith('wkr-'));
  const id = names.toSorted().at(-1) ?? '';
  const record = readKeeperRecord(await readFile(join(workersDir(), id, 'keeper.json'), 'utf8'));
  if (record === null || isKeeperClaim(record)) {
    throw new Error(`the keeper of ${id} tells nothing`);
  }
  return { id, pid: record.process?.pid, ends: record.attempts.map(({ exit }) => exit?.class) };
}

function row(label: RegExp): Locator {
  return ui.workbench.view('Workers').getByRole('treeitem', { name: label }).first();
}

describe.skipIf(realEngines === null)('a worker that a real claude does', () => {
  beforeAll(async () => {
    server = await startModelServer();
    server.script('ask', ({ turn }) => ({
      steps:
        turn === 0
          ? [{ call: 'write', input: { path: 'notes.md', content: 'found' } }]
          : [{ say: 'The analysis is done.' }],
    }));
    const body = '{"type":"error","error":{"type":"rate_limit_error","message":"Rate limit exceeded"}}';
    server.script('limit', () => ({ status: 429, headers: { 'retry-after': '3600' }, body }));
    home = await mkdtemp(join(tmpdir(), 'rc-home-'));
    const engines = { claude: { program: enginePath(realEngines ?? '', 'claude') } };
    ui = await openUiWindow({
      settings: { 'workbench.colorTheme': 'Default Dark Modern' },
      projectSettings: { 'rollcall.engines.settings': engines },
    });
    await ui.workbench.viewHeader('Worker Types').click();
    configBefore = await readFile(configFile(), 'utf8');
  });

  beforeEach(({ task }) => {
    onTestFailed(async () => {
      await ui.keepPicture(task.name);
    });
  });

  afterAll(async () => {
    await endKeepersOf(ui.project);
    await ui.close();
    await server.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  });

  it('asks in Needs you and in a notification, and is answered in place', async () => {
    await useClaude('ask');
    await start();
    const toast = ui.workbench.notification(`${TYPE} asks: Write: notes.md`);
    await toast.waitFor();
    await toast.getByRole('button', { name: 'Allow' }).waitFor();
    await row(/^pattern-analysis asks, Write: notes\.md/).waitFor();
    await row(/^pattern-analysis, running, asks: Write: /).waitFor();
    await ui.keepPicture('engine asks');
    await row(/^pattern-analysis asks/).click();
    await ui.workbench.page.getByText('Deny and say why…').waitFor();
    await ui.keepPicture('engine answer');
    await ui.workbench.pick('Allow');
    await row(/^pattern-analysis asks/).waitFor({ state: 'detached' });
    await row(/^Done/).waitFor();
    expect(await readFile(join(ui.project, 'notes.md'), 'utf8')).toBe('found');
  });

  it('goes on through a reload of the window: the same process, every line, and its end is known', async () => {
    let letGo: (value: unknown) => void = () => undefined;
    const until = new Promise((resolve) => {
      letGo = resolve;
    });
    const steps = 12;
    server.script('long', ({ turn }) => ({
      steps: [
        { say: `Line ${String(turn + 1)}.` },
        ...(turn === 4 ? [{ until }] : []),
        ...(turn < steps - 1 ? [{ call: 'read', input: { path: 'README.md' } }] : []),
      ],
    }));
    await useClaude('long');
    await start();
    await row(/^pattern-analysis, running/).waitFor();
    const before = await newestWorker();
    await ui.workbench.reload();
    await row(/^pattern-analysis, running/).waitFor();
    expect(await newestWorker()).toEqual(before);
    expect(listProcesses().some(({ pid, ended }) => pid === before.pid && !ended)).toBe(true);
    letGo(null);
    await row(/^pattern-analysis, running/).waitFor({ state: 'detached' });
    expect(await newestWorker()).toMatchObject({ id: before.id, ends: ['done'] });
    const log = await readFile(join(workersDir(), before.id, 'worker.log'), 'utf8');
    const said = [...log.matchAll(/Line (\d+)\./g)].map(([, nth]) => Number(nth));
    expect(said).toEqual(Array.from({ length: steps }, (_none, index) => index + 1));
  });

  it('counts down in its row while a rate limit parks it', async () => {
    await useClaude('limit');
    await start();
    const parked = row(/^pattern-analysis, parked, rate limit, till \d\d:\d\d, \dm \d\ds/);
    await parked.waitFor();
    const before = await parked.getAttribute('aria-label');
    await expect
      .poll(async () => row(/^pattern-analysis, parked/).getAttribute('aria-label'), { timeout: 60_000 })
      .not.toBe(before);
    await ui.keepPicture('engine parked');
    await ui.workbench.contextAction(row(/^pattern-analysis, parked/), 'Stop worker');
    await row(/^pattern-analysis, parked/).waitFor({ state: 'detached' });
  });
});
