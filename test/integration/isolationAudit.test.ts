import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WorkerSnapshot } from '../../src/core/protocol/snapshot';
import { runCli, startCli } from '../support/runCli';
import { addFiles, tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';
import { layTrap, SETTLED } from '../support/trespass';

/** Runs the trap's worker under audit and gives it as a host shows it. */
async function audited(root: string): Promise<WorkerSnapshot> {
  const { stdout } = await runCli(root, 'start', 'trespasser', '--isolation', 'audit', '--wait', '--json');
  const { worker_id: id } = JSON.parse(stdout) as { worker_id: string };
  const host = await openTestHost(root);
  const found = await host.find(id);
  if (!found.ok) {
    throw new Error(found.error.message);
  }
  return found.value;
}

/** What the audit found, as `change path`. */
function foundIn({ isolation }: WorkerSnapshot): readonly string[] {
  return (isolation?.violations ?? []).map(({ change, path }) => `${change} ${path}`).sort();
}

/** A PATH with what a worker needs, and without the programs of a sandbox. */
async function pathWithoutSandbox(): Promise<string> {
  const folder = await tempProject({}, 'bin');
  for (const program of ['sh', 'env', 'bash', 'cat']) {
    const found = (process.env['PATH'] ?? '').split(delimiter).find((part) => part === '/bin' || part === '/usr/bin');
    symlinkSync(join(found ?? '/bin', program), join(folder, program));
  }
  return folder;
}

describe('an audited worker', () => {
  it('is caught at everything that it did where no worker may write, and its own work counts', async () => {
    const root = await tempProject({}, 'köln project');
    await layTrap(root);
    const worker = await audited(root);
    const own = `.keysarium/workers/${worker.workerId}`;
    expect(foundIn(worker)).toEqual(
      [
        'added features/login/new.md',
        'added researches/another/README.md',
        'added researches/case/dots.md',
        'added researches/case/linked.md',
        'added researches/case/new.md',
        'changed .claude/settings.json',
        `changed ${own}/keeper.json`,
        `changed ${own}/worker.log`,
        `changed .keysarium/workers/${SETTLED}/status.json`,
        'changed CLAUDE.md',
        'changed researches/case/README.md',
        'changed researches/case/hard.md',
        'changed researches/case/nest.md',
        'removed researches/case/gone.md',
        'removed researches/case/moved.md',
        'removed researches/case/old.md',
      ].sort(),
    );
    expect(worker).toMatchObject({ state: 'completed', exit: { code: 0 }, isolation: { level: 'audit', note: null } });
    expect(worker.progress).toEqual({ phase: 'trespassing', items_processed: 15, total_items: 15 });
    expect(worker.outputs).toEqual(['attempts.json']);
  });

  it('is shown with what changed, to a person and to a program, and nobody is blamed', async () => {
    const root = await tempProject();
    await layTrap(root, { command: ['sh', '-c', 'echo x >> CLAUDE.md'] });
    const worker = await audited(root);
    expect(worker.attention).toEqual({ kind: 'violation', text: 'changed CLAUDE.md during the run' });
    const evidence = worker.evidence.find(({ source }) => source === 'isolation');
    expect(evidence?.says).toBe('audit; changed CLAUDE.md during the run');
    const status = JSON.parse((await runCli(root, 'status', '--json')).stdout) as {
      workers: Record<string, unknown>[];
    };
    expect(status.workers.at(-1)).toMatchObject({
      attention: { kind: 'violation' },
      isolation: { level: 'audit', violations: [{ path: 'CLAUDE.md', change: 'changed' }] },
    });
  });

  it('that only did its own work is not accused, whatever sessions and other workers wrote meanwhile', async () => {
    const root = await tempProject();
    const running = '.keysarium/workers/wkr-20260101-100000-health-check';
    await layTrap(root, {
      command: [
        'sh',
        '-c',
        `echo more >> .claude/session/notes.md; echo x > ${running}/output.txt; touch CLAUDE.md; echo o > "$ROLLCALL_OUTPUT_DIR/o"`,
      ],
    });
    await addFiles(root, { [`${running}/status.json`]: '{"status": "running"}' });
    const worker = await audited(root);
    expect(foundIn(worker)).toEqual([]);
    expect(worker).toMatchObject({ state: 'completed', attention: null });
  });

  it('is not accused when old worker folders were cleaned up meanwhile', async () => {
    const root = await tempProject();
    await layTrap(root, { command: ['sh', '-c', `rm -r .keysarium/workers/${SETTLED}`] });
    expect(foundIn(await audited(root))).toEqual([]);
  });
});

describe('on a machine without a sandbox', () => {
  it('auto falls back to the audit and says so on stderr, in the log and in the evidence', async () => {
    const root = await tempProject();
    await layTrap(root, { command: ['sh', '-c', 'echo hello'] });
    const env = { ...process.env, PATH: await pathWithoutSandbox() };
    const { code, stderr, stdout } = await startCli(root, ['start', 'trespasser', '--wait'], { env }).ended;
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^Note: wkr-\S+ is only watched: no sandbox works here: bubblewrap, socat, ripgrep not found; install/,
      ) as string,
    });
    const id = /wkr-\S+-trespasser/.exec(stdout)?.[0] ?? '';
    const log = readFileSync(join(root, '.keysarium/workers', id, 'worker.log'), 'utf8');
    expect(log).toMatch(/^\[rollcall\] Isolation: no sandbox works here: bubblewrap/m);
    const found = await (await openTestHost(root)).find(id);
    expect(found.ok ? found.value.isolation : null).toMatchObject({ level: 'audit', violations: [] });
    expect(found.ok ? found.value.attention : null).toBeNull();
  });

  it('a type that must run in a sandbox is refused with what to install, and nothing is made', async () => {
    const root = await tempProject();
    await layTrap(root, { isolation: 'sandbox' });
    rmSync(join(root, '.keysarium'), { recursive: true });
    mkdirSync(join(root, '.keysarium'));
    const env = { ...process.env, PATH: await pathWithoutSandbox() };
    const { code, stderr } = await startCli(root, ['start', 'trespasser'], { env }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/must run in a sandbox, and none works here: .*apt-get install bubblewrap socat ripgrep/);
    const host = await openTestHost(root);
    expect((await host.look()).workers).toEqual([]);
  });
});

describe('the isolation of a type', () => {
  it('is refused where the project cannot have it', async () => {
    const root = await tempProject();
    await layTrap(root, { isolation: 'worktree' });
    const { code, stderr } = await runCli(root, 'start', 'trespasser');
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no git commit to branch off from') as string,
    });
  });

  it('comes from the defaults of the file where the type says nothing', async () => {
    const root = await tempProject();
    await layTrap(root, { command: ['sh', '-c', 'true'] });
    const file = join(root, '.vscode/workers.json');
    const config = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...config, defaults: { isolation: 'audit' } }));
    const { stdout } = await runCli(root, 'start', 'trespasser', '--wait', '--json');
    const { worker_id: id } = JSON.parse(stdout) as { worker_id: string };
    const found = await (await openTestHost(root)).find(id);
    expect(found.ok ? found.value.isolation : null).toEqual({ level: 'audit', note: null, violations: [] });
  });
});
