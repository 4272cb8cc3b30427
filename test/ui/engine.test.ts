import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { isKeeperClaim } from '../../src/core/protocol/keeper/keeperClaim';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';
import { endKeepersOf } from '../support/endKeepersOf';
import { type EngineEndpoint, engineEndpoint } from '../support/engines/engineEndpoint';
import { enginePath, type RealEngineName } from '../support/engines/installEngines';
import { realEngines } from '../support/engines/realEngines';
import { startModelServer, type ModelServer } from '../support/modelServer/modelServer';
import { listProcesses } from '../support/vscode/listProcesses';
import { openUiWindow, type UiWindow } from './uiWindow';

const TYPE = 'pattern-analysis';
const names: readonly RealEngineName[] = ['claude', 'codex', 'opencode'];
/** The type that each of them does where all of them work at once. */
const typeOf: Readonly<Record<RealEngineName, string>> = {
  claude: TYPE,
  codex: 'consolidate',
  opencode: 'export-brain',
};
/** What goes on through a reload of this window: all of them in the current VS Code, and one in the oldest, to save time. */
const together = process.env['ROLLCALL_UI_TARGET'] === 'oldest' ? names.slice(0, 1) : names;
const KEY = 'dummy-key-0123456789';

let ui: UiWindow;
let server: ModelServer;
/** Holds the programs' home and their temporary folder. */
let place: string;
let configBefore: string;

function configFile(): string {
  return join(ui.project, '.vscode', 'workers.json');
}

function endpointOf(name: RealEngineName, scenario: string): EngineEndpoint {
  return engineEndpoint(name, server.urlOf(encodeURIComponent(scenario)), KEY);
}

/** A type of worker that is done by this program, which asks the scripted model. */
function doneBy(name: RealEngineName, scenario: string): string {
  const { own, configured } = endpointOf(name, scenario);
  const env = { ...own, ...configured, HOME: join(place, 'home'), TMPDIR: join(place, 'tmp') };
  return `"${typeOf[name]}": ${JSON.stringify({ engine: name, isolation: 'audit', env })},`;
}

async function useTypes(...types: readonly string[]): Promise<void> {
  await writeFile(configFile(), configBefore.replace('"types": {', `"types": { ${types.join(' ')}`));
}

async function start(type = TYPE): Promise<void> {
  await ui.workbench.inlineAction(ui.workbench.row('Worker Types', type), 'Start');
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

/** What the keeper of the newest worker of the type tells. */
async function newestWorker(type: string): Promise<SeenWorker> {
  const folders = (await readdir(workersDir())).filter((folder) => folder.endsWith(`-${type}`));
  const id = folders.toSorted().at(-1) ?? '';
  const record = readKeeperRecord(await readFile(join(workersDir(), id, 'keeper.json'), 'utf8'));
  if (record === null || isKeeperClaim(record)) {
    throw new Error(`the keeper of ${id} tells nothing`);
  }
  return { id, pid: record.process?.pid, ends: record.attempts.map(({ exit }) => exit?.class) };
}

function row(label: RegExp): Locator {
  return ui.workbench.view('Workers').getByRole('treeitem', { name: label }).first();
}

/** What the log of a worker has of the lines that the script said, by their numbers. */
async function saidBy(id: string): Promise<readonly number[]> {
  const log = await readFile(join(workersDir(), id, 'worker.log'), 'utf8');
  return [...log.matchAll(/Line (\d+)\./g)].map(([, nth]) => Number(nth));
}

describe.skipIf(realEngines === null)('a worker that a real program does', () => {
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
    place = await mkdtemp(join(tmpdir(), 'rc-home-'));
    await Promise.all([mkdir(join(place, 'home')), mkdir(join(place, 'tmp'))]);
    const engines = Object.fromEntries(
      names.map((name) => {
        const { settings } = endpointOf(name, `long,id=${name}`);
        return [name, { program: enginePath(realEngines ?? '', name), ...settings }] as const;
      }),
    );
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
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  });

  it('asks in Needs you and in a notification, and is answered in place', async () => {
    await useTypes(doneBy('claude', 'ask'));
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

  it('goes on through a reload of the window, whichever it is: the same process, every line, and its end is known', async () => {
    let letGo: (value: unknown) => void = () => undefined;
    const until = new Promise((resolve) => {
      letGo = resolve;
    });
    const [steps, middle] = [6, 3];
    server.script('long', ({ turn }) => ({
      steps: [
        { say: `Line ${String(turn + 1)}.` },
        ...(turn === middle ? [{ until }] : []),
        ...(turn < steps - 1 ? [{ call: 'read', input: { path: 'README.md' } }] : []),
      ],
    }));
    await useTypes(...together.map((name) => doneBy(name, `long,id=${name}`)));
    for (const name of together.toReversed()) {
      await start(typeOf[name]);
    }
    await Promise.all(
      together.map(async (name) =>
        server.seen(({ scenario, turn }) => scenario === `long,id=${name}` && turn === middle),
      ),
    );
    const running = (name: RealEngineName): Locator => row(new RegExp(`^${typeOf[name]}, running`));
    const before = await Promise.all(together.map(async (name) => newestWorker(typeOf[name])));
    await ui.workbench.reload();
    await Promise.all(together.map(async (name) => running(name).waitFor()));
    expect(await Promise.all(together.map(async (name) => newestWorker(typeOf[name])))).toEqual(before);
    const alive = listProcesses().filter(({ ended }) => !ended);
    expect(before.filter(({ pid }) => !alive.some((one) => one.pid === pid))).toEqual([]);
    letGo(null);
    for (const [index, name] of together.entries()) {
      await running(name).waitFor({ state: 'detached' });
      const { id } = before[index] ?? { id: '' };
      expect(await newestWorker(typeOf[name])).toMatchObject({ id, ends: ['done'] });
      expect(await saidBy(id), name).toEqual(Array.from({ length: steps }, (_none, nth) => nth + 1));
    }
  });

  it('counts down in its row while a rate limit parks it', async () => {
    await useTypes(doneBy('claude', 'limit'));
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
