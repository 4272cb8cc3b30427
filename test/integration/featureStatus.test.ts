import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { featureFixture, featureFixtures, type FeatureFixture, filesBelow } from '../support/featureFixtures';
import { startCli } from '../support/runCli';
import { addFiles, tempProject } from '../support/tempProject';

interface Told {
  readonly [key: string]: unknown;
  readonly diagnostics: readonly string[];
}

async function status(fixture: FeatureFixture, ...args: readonly string[]): Promise<Told> {
  const { root, home, now, tz } = fixture;
  const run = startCli(root, ['status', '--at', now, '--tz', tz, '--json', ...args], {
    env: { ...process.env, HOME: home },
  });
  const { code, stdout, stderr } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Told;
}

async function textStatus(fixture: FeatureFixture, ...args: readonly string[]): ReturnType<typeof startCli>['ended'] {
  const { root, home, now, tz } = fixture;
  const run = startCli(root, ['status', '--at', now, '--tz', tz, ...args], { env: { ...process.env, HOME: home } });
  return run.ended;
}

/** Each file's text and time, and each folder's entries. */
function picture(root: string): readonly string[] {
  const folders = readdirSync(root, { recursive: true }).map(String).sort();
  const files = filesBelow(root).map((path) => `${path} ${statSync(path).mtimeMs} ${readFileSync(path, 'base64')}`);
  return [...folders, ...files];
}

describe.each(featureFixtures)('the recorded run %s', (name) => {
  it('is told as a correct viewer tells it, field by field, and nothing of it is touched', async () => {
    const fixture = await featureFixture(name);
    const before = picture(fixture.root);
    const told = await status(fixture);
    const { diagnostics, ...fields } = fixture.expected;
    expect(told).toMatchObject(fields);
    expect(told.diagnostics.map((sentence) => sentence.split(':')[0])).toEqual(
      [...diagnostics].sort().map((sentence) => sentence.split(':')[0]),
    );
    expect(picture(fixture.root)).toEqual(before);
  });
});

describe('rollcall status beside feature runs', () => {
  it('keeps the workers table and shows the dashboard of the document under it', async () => {
    const { code, stdout, stderr } = await textStatus(await featureFixture('02-midrun-heartbeats'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'No workers have been started yet.',
        '',
        'Project: 02-midrun-heartbeats · Feature: user-auth · executing (subprocess)',
        'Level 2/2 | Tasks: 4/6 (67%) | Workers: 3/3 active',
        '  L1 foundation    ████████████████████ 4/4 complete',
        '  L2 core          ░░░░░░░░░░░░░░░░░░░░ 0/2 running',
        '  W0 running · AUTH-L2-001 · [3/5: ✅✅🔄⏳⏳] 60% · 4 s ago',
        '  W1 running · AUTH-L2-002 · verifying_tier2 65% · 11 s ago',
        '  W2 running · idle 0% · 9 s ago',
        '',
      ].join('\n'),
    );
  });

  it('shows one feature of several alone, and refuses a name that is none', async () => {
    const fixture = await featureFixture('06-two-features');
    const { stdout } = await textStatus(fixture, '--feature', 'billing', '--tasks', '--workers');
    expect(stdout).toMatch(/^Project: 06-two-features · Feature: billing/);
    expect(stdout).toContain('BILL-L2-001');
    expect(stdout).not.toContain('AUTH');
    const none = await textStatus(fixture, '--feature', 'biling');
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('biling');
    expect((await status(fixture, '--feature', 'billing'))['features']).toHaveLength(1);
  });

  it('tells on stderr what it could not read', async () => {
    const { code, stderr } = await textStatus(await featureFixture('07-corrupt-state'));
    expect(code).toBe(0);
    expect(stderr).toContain('.zerg/state/user-auth.json: unreadable');
    expect(stderr).toContain('recovered from .bak');
  });

  it('leaves no trace in a project without any run', async () => {
    const root = await tempProject();
    const before = picture(root);
    const { ended } = startCli(root, ['status', '--at', '2026-02-14T17:30:00Z', '--json']);
    const told = JSON.parse((await ended).stdout) as Told;
    expect(told).toMatchObject({ features: [], now: '2026-02-14T17:30:00Z', unattributed_heartbeats: [] });
    expect(picture(root)).toEqual(before);
  });

  it('takes thresholds and task homes from the configuration', async () => {
    const late = await featureFixture('04-stale-heartbeat');
    await addFiles(late.root, {
      '.vscode/workers.json': '{ "version": 1, "features": { "lateSeconds": 60, "staleSeconds": 300 } }',
    });
    const told = await status(late);
    expect(told).toMatchObject({
      thresholds: { late_s: 60, stale_s: 300, silent_without_heartbeat_s: 600 },
      features: [{ workers: [{ liveness: 'active' }, { liveness: 'active' }, { liveness: 'late' }] }],
    });
    const listed = await featureFixture('10-claude-tasks-only');
    await addFiles(listed.root, { '.vscode/workers.json': '{ "version": 1, "features": { "taskHomes": ["home"] } }' });
    expect(await status({ ...listed, home: join(listed.root, 'nobody') })).toMatchObject({
      features: [{ kind: 'claude-tasks', percent: 50 }],
    });
  });

  it.each([[['--at', 'yesterday']], [['--tz', 'Mars/Olympus']], [['--watch', '--at', '2026-02-14T17:30:00Z']]])(
    'does not understand %j',
    async (args) => {
      const { ended } = startCli(await tempProject(), ['status', ...args]);
      expect((await ended).code).toBe(2);
    },
  );
});

describe('rollcall status --watch', () => {
  it('prints again when a file of the run changes', async () => {
    const { root, home } = await featureFixture('12-designed-not-started');
    const watching = startCli(root, ['status', '--watch', '--json'], { env: { ...process.env, HOME: home } });
    await watching.printed('"phase":"designed"');
    const state = { feature: 'user-auth', tasks: { 'AUTH-L1-001': { status: 'complete' } }, workers: {} };
    await addFiles(root, { '.zerg/state/next': JSON.stringify(state) });
    renameSync(join(root, '.zerg/state/next'), join(root, '.zerg/state/user-auth.json'));
    await watching.printed('"percent":17');
    writeFileSync(join(root, '.zerg/state/user-auth.json'), JSON.stringify({ ...state, paused: true }));
    await watching.printed('"phase":"paused"');
    watching.child.kill('SIGINT');
    const { code, stdout } = await watching.ended;
    expect(code).toBe(130);
    for (const line of stdout.trimEnd().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ schema: 1 });
    }
  });
});

describe('a run of more files than a process may open', () => {
  it('is read to its last heartbeat', async () => {
    const numbers = Array.from({ length: 500 }, (_, at) => at);
    const beats = numbers.map((at) => [`.zerg/state/heartbeat-${at}.json`, `{"worker_id":${at},"task_id":"A"}`]);
    const root = await tempProject({
      ...(Object.fromEntries(beats) as Record<string, string>),
      '.zerg/state/auth.json': '{"tasks":{"A":{"status":"in_progress"}}}',
    });
    const { ended } = startCli(root, ['status', '--json'], {
      before: ['sh', '-c', 'ulimit -n 128; exec "$@"', 'sh'],
    });
    const told = JSON.parse((await ended).stdout) as { features: { workers: object[] }[] } & Told;
    expect(told.diagnostics).toEqual([]);
    expect(told.features[0]?.workers).toHaveLength(500);
  });
});

describe('rollcall status --watch, as text', () => {
  it('tells under its picture what it could not read', async () => {
    const { root, home } = await featureFixture('07-corrupt-state');
    const watching = startCli(root, ['status', '--watch'], { env: { ...process.env, HOME: home } });
    await watching.printed('.zerg/state/user-auth.json: unreadable');
    watching.child.kill('SIGINT');
    expect((await watching.ended).code).toBe(130);
  });
});

describe.skipIf(process.getuid?.() !== 0)('another account of the machine', () => {
  it('sees the run that it may only read', async () => {
    const fixture = await featureFixture('04-stale-heartbeat');
    chmodSync(join(fixture.root, '..'), 0o755);
    onTestFinished(() => {
      chmodSync(join(fixture.root, '..'), 0o700);
    });
    const { now, root } = fixture;
    const run = startCli(root, ['status', '--at', now, '--tz', 'UTC', '--json'], {
      env: { ...process.env, HOME: '/nonexistent' },
      uid: 65_534,
    });
    expect(JSON.parse((await run.ended).stdout)).toMatchObject({ features: [{ percent: 17 }] });
  });

  it('is told of a run that it may not read', async () => {
    const { now, root } = await featureFixture('04-stale-heartbeat');
    chmodSync(join(root, '..'), 0o755);
    chmodSync(join(root, '.zerg/state'), 0o700);
    const run = startCli(root, ['status', '--at', now, '--tz', 'UTC'], {
      env: { ...process.env, HOME: '/nonexistent' },
      uid: 65_534,
    });
    expect((await run.ended).stderr).toContain('.zerg/state: unreadable (your user may not read it)');
  });
});
