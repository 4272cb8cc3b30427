import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FleetSnapshot } from '../../src/core/protocol/snapshot';
import { formatScheduleDocument, readScheduleDocument } from '../../src/core/protocol/workers/scheduleDocument';
import type { ScheduleRecord } from '../../src/core/protocol/workers/schedule';
import { runCli } from '../support/runCli';
import { type ScriptProcess, useScript } from '../support/scriptProcess';
import { tempProject } from '../support/tempProject';
import { distDir, openTestHost, untilSnapshot } from '../support/testHost';

const openWindow = useScript('test/support/hostScript.ts');

const HOUR = 3_600_000;
/** Its last tick lies at most an hour back, and no other comes while a test runs. */
const HOURLY = `${String(new Date(Date.now() + HOUR / 2).getMinutes())} * * * *`;

function config(schedule: string, more: object = {}): string {
  const command = ['node', '-e', 'console.log("done")'];
  return JSON.stringify({
    version: 1,
    types: {
      audit: { description: 'runs by itself', command, schedule },
      wait: { description: 'takes a slot until told', command: ['node', 'wait.js'], graceSeconds: 1 },
    },
    ...more,
  });
}

/** Ends when the file `go` is there. */
const waitJs = `setInterval(() => { if (require('node:fs').existsSync('go')) process.exit(0); }, 20);`;

/** A project in which the hourly schedule was last handled `hours` ago. */
async function project(hours: number, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await tempProject({ '.vscode/workers.json': config(HOURLY), 'wait.js': waitJs, ...files });
  mkdirSync(workersOf(root), { recursive: true });
  remember(root, { handledAt: Date.now() - hours * HOUR });
  return root;
}

function workersOf(root: string): string {
  return join(root, '.keysarium', 'workers');
}

function remember(root: string, changes: Partial<ScheduleRecord>): void {
  const record = { cron: HOURLY, handledAt: 0, lastAt: null, claim: null, ...changes };
  writeFileSync(join(workersOf(root), 'schedules.json'), formatScheduleDocument(new Map([['audit', record]])));
}

function remembered(root: string): ScheduleRecord | undefined {
  return readScheduleDocument(readFileSync(join(workersOf(root), 'schedules.json'), 'utf8')).get('audit');
}

function auditsIn(root: string): readonly string[] {
  return readdirSync(workersOf(root)).filter((name) => name.endsWith('-audit'));
}

const audits = ({ workers }: FleetSnapshot): FleetSnapshot['workers'] =>
  workers.filter(({ entry }) => entry.type === 'audit');
const isDone = (snapshot: FleetSnapshot): boolean =>
  audits(snapshot).some(({ entry }) => entry.status === 'completed') &&
  snapshot.schedules[0]?.lastAt !== null &&
  snapshot.schedules[0]?.waiting === false;

async function seen(window: ScriptProcess, wanted: (snapshot: FleetSnapshot) => boolean): Promise<FleetSnapshot> {
  for (;;) {
    const { snapshot } = JSON.parse(await window.line()) as { snapshot?: FleetSnapshot };
    if (snapshot !== undefined && wanted(snapshot)) {
      return snapshot;
    }
  }
}

describe('a schedule', () => {
  it('that was missed for days runs once, and the next tick is told', async () => {
    const root = await project(100);
    const host = await openTestHost(root);
    await host.watch();
    await host.lead();
    const snapshot = await untilSnapshot(host, isDone);
    expect(audits(snapshot)).toHaveLength(1);
    const [schedule] = snapshot.schedules;
    expect(schedule).toMatchObject({ type: 'audit', cron: HOURLY, active: true, waiting: false });
    expect(schedule?.nextAt).toBeGreaterThan(Date.now());
    expect(schedule?.nextAt).toBeLessThanOrEqual(Date.now() + HOUR);
    // More looks, among them those of a second host that leads after the first, start no other.
    await host.shutdown();
    const second = await openTestHost(root);
    await second.watch();
    await second.lead();
    await untilSnapshot(second, ({ leader }) => leader?.self === true);
    await second.look();
    await second.shutdown();
    expect(auditsIn(root)).toHaveLength(1);
  });

  it('that is new starts nothing before its first tick', async () => {
    const root = await tempProject({ '.vscode/workers.json': config(HOURLY) });
    mkdirSync(workersOf(root), { recursive: true });
    const host = await openTestHost(root);
    await host.watch();
    await host.lead();
    await expect.poll(() => existsSync(join(workersOf(root), 'schedules.json'))).toBe(true);
    expect(remembered(root)).toMatchObject({ cron: HOURLY, lastAt: null, claim: null });
    expect(auditsIn(root)).toEqual([]);
  });

  it('of two windows on one root runs in one of them, once, also when that one is killed', async () => {
    const root = await project(5);
    const first = openWindow({ args: [root, distDir] });
    const second = openWindow({ args: [root, distDir] });
    const { leader } = await seen(second, isDone);
    const [leading, following] = leader?.pid === first.pid ? [first, second] : [second, first];
    await leading.kill();
    const after = await seen(following, (snapshot) => snapshot.leader?.pid === following.pid);
    expect(after.schedules).toMatchObject([{ active: true, waiting: false }]);
    // Its own work goes on, so it has looked at the schedules too.
    following.say('start wait');
    await seen(following, ({ workers }) =>
      workers.some(({ entry }) => entry.type === 'wait' && entry.status === 'running'),
    );
    writeFileSync(join(root, 'go'), '');
    await seen(following, ({ workers }) => workers.every(({ entry }) => entry.status === 'completed'));
    expect(auditsIn(root)).toHaveLength(1);
  });

  it('whose tick comes over the limit waits, is shown to wait, and runs once when a slot is free', async () => {
    const root = await project(0, { '.vscode/workers.json': config(HOURLY, { maxConcurrent: 1 }) });
    const host = await openTestHost(root);
    expect(await host.start({ type: 'wait', requestedBy: 'cli' })).toMatchObject({ ok: true });
    remember(root, { handledAt: Date.now() - 5 * HOUR });
    await host.watch();
    await host.lead();
    await untilSnapshot(host, ({ schedules }) => schedules[0]?.waiting === true);
    expect(auditsIn(root)).toEqual([]);
    writeFileSync(join(root, 'go'), '');
    await untilSnapshot(host, isDone);
    expect(auditsIn(root)).toHaveLength(1);
  });

  it('is shown as inactive while nobody leads, and a look starts nothing', async () => {
    const root = await project(5);
    const list = await runCli(root, 'list', '--json');
    const { schedules } = JSON.parse(list.stdout) as { schedules: unknown[] };
    expect(schedules).toEqual([
      {
        type: 'audit',
        cron: HOURLY,
        nextAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/) as string,
        lastAt: null,
        active: false,
        waiting: false,
      },
    ]);
    expect(auditsIn(root)).toEqual([]);
  });

  it('in an untrusted workspace is not read', async () => {
    const root = await project(5);
    const host = await openTestHost(root, { trusted: false });
    expect((await host.look()).schedules).toEqual([]);
  });
});

describe('a scheduled start whose leader was killed', () => {
  it.each([
    ['before the worker was entered runs again', false, 1],
    ['after the worker was entered does not run again', true, 1],
  ])('%s', async (_title, entered, count) => {
    const root = await project(5);
    if (entered) {
      expect(await runCli(root, 'start', 'audit', '--wait')).toMatchObject({ code: 0 });
    }
    const tick = Date.now() - HOUR / 2;
    remember(root, { handledAt: Date.now() - 5 * HOUR, claim: { tick, at: Date.now() - (entered ? 60_000 : 0) } });
    const host = await openTestHost(root);
    await host.watch();
    await host.lead();
    await untilSnapshot(host, isDone);
    expect(auditsIn(root)).toHaveLength(count);
    expect(remembered(root)?.claim).toBeNull();
  });
});

describe('a start that a schedule asks for', () => {
  it('and that is refused for good is not asked for again before the next tick', async () => {
    const types = { audit: { description: 'no template', template: 'none.md', schedule: HOURLY } };
    const root = await project(5, { '.vscode/workers.json': JSON.stringify({ version: 1, types }) });
    const host = await openTestHost(root);
    await host.watch();
    await host.lead();
    await expect.poll(() => (remembered(root)?.handledAt ?? 0) > Date.now() - HOUR).toBe(true);
    await expect.poll(() => remembered(root)?.claim).toBeNull();
    expect(remembered(root)).toMatchObject({ lastAt: null, claim: null });
    expect(auditsIn(root)).toEqual([]);
  });
});
