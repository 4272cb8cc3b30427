import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeWorkerId } from '../../src/core/protocol/workers/workerId';
import { alreadyAskedText } from '../../src/core/protocol/workers/workerTexts';
import { runCli, startCli } from '../support/runCli';
import { useScript } from '../support/scriptProcess';
import { tempProject } from '../support/tempProject';
import { distDir } from '../support/testHost';

const openWindow = useScript('test/support/hostScript.ts');

const WORKER_ID = /wkr-\d{8}-\d{6}-[a-z-]+/;

/** Counts on stdout until the stop flag or a file `finish` is there; `deaf` ones see neither. */
const COUNTER = `
const fs = require('node:fs');
const path = require('node:path');
const workers = path.join(process.cwd(), '.keysarium', 'workers');
const deaf = process.argv[2] === 'deaf';
let n = 0;
setInterval(() => {
  console.log('line ' + n++);
  const told = fs.readdirSync(workers).some((name) => fs.existsSync(path.join(workers, name, 'stop-requested')));
  if (!deaf && (told || fs.existsSync('finish'))) process.exit(0);
}, 10);
`;

const TYPES = {
  quick: {
    description: 'Prints five lines',
    command: [process.execPath, '-e', 'for (let i = 1; i < 6; i++) console.log("line " + i)'],
  },
  broken: {
    description: 'Ends with 3',
    command: [process.execPath, '-e', 'console.error("no disk"); process.exit(3)'],
  },
  counter: { description: 'Counts', command: [process.execPath, 'counter.cjs'], graceSeconds: 20 },
  deaf: {
    description: 'Counts and hears nothing',
    command: [process.execPath, 'counter.cjs', 'deaf'],
    graceSeconds: 20,
  },
  lost: { description: 'Has no template', model: 'haiku', template: 'prompts/none.md' },
};

async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const config = JSON.stringify({ version: 1, types: TYPES });
  const root = await tempProject({ '.vscode/workers.json': config, 'counter.cjs': COUNTER, ...files }, 'a project ✓');
  onTestFinished(() => {
    endWorkersOf(root);
  });
  return root;
}

function workersOf(root: string): string {
  return join(root, '.keysarium', 'workers');
}

interface KeeperFile {
  readonly keeper: { readonly pid: number };
  readonly process: { readonly pid: number } | null;
}

function keeperOf(root: string, workerId: string): KeeperFile {
  return JSON.parse(readFileSync(join(workersOf(root), workerId, 'keeper.json'), 'utf8')) as KeeperFile;
}

/** What a failed test left running, by the pids of its keeper records, each looked at before it is ended. */
function endWorkersOf(root: string): void {
  const names = existsSync(workersOf(root)) ? readdirSync(workersOf(root)) : [];
  for (const name of names.filter((entry) => existsSync(join(workersOf(root), entry, 'keeper.json')))) {
    const { keeper, process: worker } = keeperOf(root, name);
    for (const pid of [keeper.pid, worker?.pid]) {
      if (pid !== undefined && commandLineOf(pid).match(/keeper\.js|counter\.cjs/)) {
        process.kill(pid, 'SIGKILL');
      }
    }
  }
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
  } catch {
    // It has ended, which is what is wanted.
    return '';
  }
}

function idIn(text: string): string {
  return WORKER_ID.exec(text)?.[0] ?? '';
}

function json(text: string): Record<string, unknown> {
  return JSON.parse(text) as Record<string, unknown>;
}

describe('rollcall status', () => {
  it('says that nothing was started yet and creates nothing, anywhere', async () => {
    const root = await tempProject({ 'src/notes.txt': 'x' });
    const run = await runCli(join(root, 'src'), 'status');
    expect(run).toEqual({ code: 0, stdout: 'No workers have been started yet.\n', stderr: '' });
    expect(readdirSync(root)).toEqual(['src']);
    expect(readdirSync(join(root, 'src'))).toEqual(['notes.txt']);
  });

  it("prints the document's table to the letter for the document's files", async () => {
    const fixtures = join('test', 'fixtures', 'background-workers');
    const now = new Date();
    const today = now.toISOString().slice(0, 10);
    const entry = (type: string, time: string, status: string): object => ({
      worker_id: makeWorkerId(type, Date.parse(`${today}T${time}Z`)),
      type,
      status,
      model: 'haiku',
      started_at: `${today}T${time}Z`,
      completed_at: status === 'completed' ? now.toISOString() : null,
    });
    const entries = [
      entry('consolidate', '14:30:22', 'running'),
      entry('health-check', '14:35:00', 'completed'),
      entry('export-brain', '14:40:00', 'completed'),
    ];
    const root = await tempProject({
      '.keysarium/workers/registry.json': JSON.stringify({ version: '1.0', max_concurrent: 3, workers: entries }),
    });
    const progress: Readonly<Record<string, object>> = {
      consolidate: { phase: 'scanning researches', items_processed: 3, total_items: 7 },
      'health-check': { phase: 'completed', items_processed: 6, total_items: 6 },
    };
    for (const { worker_id, type, status } of entries as { worker_id: string; type: string; status: string }[]) {
      const folder = join(workersOf(root), worker_id);
      mkdirSync(folder);
      writeFileSync(join(folder, 'status.json'), JSON.stringify({ status, progress: progress[type] ?? null }));
    }
    const { code, stdout } = await runCli(root, 'status');
    const expected = readFileSync(join(fixtures, 'status-table.txt'), 'utf8')
      .trimEnd()
      .replaceAll('20260301', today.replaceAll('-', ''));
    expect(stdout.split('\n\nCompleted worker output:')[0]).toBe(expected);
    expect(code).toBe(0);
  });

  it('keeps a torn registry aside, says so on stderr and shows what the folders know', async () => {
    const id = makeWorkerId('health-check', Date.now());
    const root = await tempProject({
      '.keysarium/workers/registry.json': '{"version": "1.0", "workers": [{',
      [`.keysarium/workers/${id}/status.json`]: '{"status": "running"}',
    });
    const run = await runCli(root, 'status');
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(id);
    expect(run.stderr).toContain('registry.json.corrupt-');
  });

  it('says once, and with what can be done, that the registry is no file or of another version', async () => {
    const folder = await runCli(await tempProject({ '.keysarium/workers/registry.json/x': '' }), 'status');
    expect(folder.stderr).toMatch(/^[^\n]+registry\.json cannot be read: [^\n]+ or move it away\.\n$/);
    const other = await tempProject({ '.keysarium/workers/registry.json': '{"version": "2.0", "workers": []}' });
    expect((await runCli(other, 'status')).stderr).toMatch(/^[^\n]+has version 2\.0[^\n]+ or move the file away\.\n$/);
  });

  it('does not call a registry of another version empty, and leaves it alone', async () => {
    const text = '{"version": "2.0", "workers": []}';
    const root = await tempProject({ '.keysarium/workers/registry.json': text });
    const run = await runCli(root, 'status');
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('2.0') as unknown });
    expect(readFileSync(join(workersOf(root), 'registry.json'), 'utf8')).toBe(text);
  });

  it('--json has the schema that scripts rely on', async () => {
    const root = await project();
    await runCli(root, 'start', 'quick', '--wait');
    const run = await runCli(root, 'status', '--json');
    const document = json(run.stdout);
    expect(document).toMatchObject({ schema: 1, root, leader: null, problems: [] });
    expect(Date.parse(document['at'] as string)).not.toBeNaN();
    const [worker] = document['workers'] as Record<string, unknown>[];
    const keys = 'worker_id type status model started_at completed_at output_dir retry_count'.split(' ');
    expect(Object.keys(worker ?? {}).slice(0, 8)).toEqual(keys);
    expect(worker).toMatchObject({
      type: 'quick',
      status: 'completed',
      state: 'completed',
      attention: null,
      pid: null,
    });
    for (const { source, says, ageSeconds } of worker?.['evidence'] as Record<string, unknown>[]) {
      expect([typeof source, typeof says, typeof ageSeconds]).toEqual(['string', 'string', 'number']);
    }
  });
});

describe('rollcall start', () => {
  it('--wait runs a real health check to its report and prints the block, then the end', async () => {
    const root = await project();
    const run = await runCli(root, 'start', 'health-check', '--wait');
    const id = idIn(run.stdout);
    expect(run).toEqual({
      code: 0,
      stderr: '',
      stdout: `Background worker started.
  ID:   ${id}
  Type: health-check
  Model: haiku
  Output: .keysarium/workers/${id}/

Use \`rollcall status\` to check progress.

Worker ${id} completed.
  .keysarium/workers/${id}/output/health-report.json
`,
    });
    const report = readFileSync(join(workersOf(root), id, 'output', 'health-report.json'), 'utf8');
    expect(json(report)).toMatchObject({ worker_id: id });
    const path = join(workersOf(root), id, 'output', 'health-report.json');
    expect((await runCli(root, 'why', id)).stdout).toContain(`\n\nOutput\n  ${path}\n\nEvidence\n`);
    expect(json((await runCli(root, 'why', id, '--json')).stdout)).toMatchObject({ outputs: [path], filesWritten: [] });
    expect((await runCli(root, 'status')).stdout).toContain('6/6 checks');
  });

  it('--wait ends with 1 and the cause when the worker failed', async () => {
    const root = await project();
    const run = await runCli(root, 'start', 'broken', '--wait');
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/Worker wkr-\S+-broken failed: .*\(exit 3\)/);
  });

  it('--wait --json prints one document, with the exit', async () => {
    const root = await project();
    const run = await runCli(root, 'start', 'broken', '--wait', '--json');
    expect(json(run.stdout)).toMatchObject({
      schema: 1,
      type: 'broken',
      status: 'failed',
      state: 'failed',
      exit: { code: 3, signal: null },
    });
    expect(run.code).toBe(1);
  });

  it('--json gives the id, the status and the folder', async () => {
    const root = await project();
    const started = json((await runCli(root, 'start', 'quick', '--json')).stdout);
    const id = started['worker_id'] as string;
    expect(started).toMatchObject({ schema: 1, status: 'starting', output_dir: `.keysarium/workers/${id}/` });
    expect(existsSync(join(root, started['output_dir'] as string))).toBe(true);
  });

  it.each([
    ['an unknown type', 'no-such-type', 'unknown-type', /no-such-type[\s\S]*health-check/],
    ['a type without its template', 'lost', 'missing-template', /template/],
    ['a type that would lead out of the workers folder', '../escape', 'unknown-type', /escape/],
  ])('refuses %s with 1 and creates nothing', async (_name, type, code, message) => {
    const root = await project();
    const before = readdirSync(root);
    const text = await runCli(root, 'start', type);
    expect(text).toMatchObject({ code: 1, stdout: '' });
    expect(text.stderr).toMatch(message);
    const asJson = await runCli(root, 'start', type, '--json');
    expect(asJson.code).toBe(1);
    expect(json(asJson.stdout)).toMatchObject({
      schema: 1,
      error: { code, message: expect.stringMatching(message) as unknown },
    });
    expect(readdirSync(root)).toEqual(before);
  });

  it("refuses a fourth worker with the document's words, and the slot of a stopped one is free again", async () => {
    const root = await project();
    const ids: string[] = [];
    for (let started = 0; started < 3; started += 1) {
      ids.push(idIn((await runCli(root, 'start', 'counter')).stdout));
    }
    const folders = readdirSync(workersOf(root));
    expect(await runCli(root, 'start', 'counter', '--surface', 'slash')).toEqual({
      code: 1,
      stdout: '',
      stderr: readFileSync(join('test', 'fixtures', 'background-workers', 'limit.txt'), 'utf8').trimEnd() + '\n',
    });
    expect(readdirSync(workersOf(root)).filter((name) => name.startsWith('wkr-'))).toEqual(
      folders.filter((name) => name.startsWith('wkr-')),
    );
    expect((await runCli(root, 'stop', ids[0] ?? '', '--wait')).code).toBe(0);
    expect((await runCli(root, 'start', 'quick', '--wait')).code).toBe(0);
    writeFileSync(join(root, 'finish'), '');
  });

  it('from two terminals at once starts two workers with ids of their own', async () => {
    const root = await project();
    const runs = await Promise.all([
      runCli(root, 'start', 'quick', '--wait'),
      runCli(root, 'start', 'quick', '--wait'),
    ]);
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    expect(new Set(runs.map(({ stdout }) => idIn(stdout))).size).toBe(2);
  });

  it('--wait is ended by Ctrl-C, and the worker goes on', async () => {
    const root = await project();
    const run = startCli(root, ['start', 'counter', '--wait']);
    await run.printed('to check progress.');
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toBe(`Stopped waiting. Worker ${idIn(stdout)} goes on.\n`);
    const { pid } = keeperOf(root, idIn(stdout)).process ?? { pid: 0 };
    expect(commandLineOf(pid)).toContain('counter.cjs');
    expect((await runCli(root, 'stop', idIn(stdout), '--wait')).code).toBe(0);
  });
});

describe('rollcall in a read-only folder', () => {
  // The rights of files do not bind root, so under root somebody else asks.
  const owner = process.getuid?.() === 0 ? { uid: 65_534, env: { PATH: process.env['PATH'] } } : {};

  it.each([
    ['before the first start', {}],
    ['after it', { '.keysarium/workers/registry.json': '{"version": "1.0", "workers": []}' }],
  ])('says so and creates nothing, %s', async (_when, files) => {
    const root = await tempProject(files);
    const before = readdirSync(root, { recursive: true });
    chmodSync(join(root, '..'), 0o755);
    const folder = existsSync(workersOf(root)) ? workersOf(root) : root;
    chmodSync(folder, 0o555);
    const run = await startCli(root, ['start', 'health-check'], owner).ended;
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/read-only\. Make it writable/);
    expect(readdirSync(root, { recursive: true })).toEqual(before);
    expect((await startCli(root, ['status'], owner).ended).code).toBe(0);
  });
});

describe('rollcall beside a window', () => {
  it('has its workers supervised by the window that leads', async () => {
    const root = await project();
    await runCli(root, 'start', 'quick', '--wait');
    const window = openWindow({ args: [root, distDir] });
    while (!(await window.line()).includes('"ready"')) {
      // Snapshots come first.
    }
    const { leader } = json((await runCli(root, 'status', '--json')).stdout);
    expect(leader).toMatchObject({ pid: window.pid, surface: 'vscode' });
    const lease = readdirSync(workersOf(root)).find((name) => name.startsWith('leader.')) ?? '';
    const id = idIn((await runCli(root, 'start', 'counter')).stdout);
    const keeper = json(readFileSync(join(workersOf(root), id, 'keeper.json'), 'utf8'));
    expect(lease).toBe(`leader.${String(keeper['epoch'])}.json`);
    while (!(await window.line()).includes(id)) {
      // The window shows it by itself, from the files.
    }
    expect((await runCli(root, 'stop', id, '--wait')).code).toBe(0);
    expect(json((await runCli(root, 'status', '--json')).stdout)['leader']).toEqual(leader);
  });
});

describe('rollcall stop', () => {
  it('asks politely by a unique prefix, confirms in the words of the document, and --wait sees the end', async () => {
    const root = await project();
    const id = idIn((await runCli(root, 'start', 'counter')).stdout);
    const run = await runCli(root, 'stop', id.slice(0, 20), '--wait');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toBe(`Stop requested for worker ${id}.
Worker will stop at next safe point.
Use \`rollcall status\` to confirm.

Worker ${id} stopped.
`);
    expect(readFileSync(join(workersOf(root), id, 'stop-requested'), 'utf8')).toBe('');
    expect((await runCli(root, 'stop', id)).stderr).toBe(`Worker ${id} is not running (status: stopped)\n`);
  });

  it('--force ends a worker that hears nothing, with all its processes', async () => {
    const root = await project();
    const id = idIn((await runCli(root, 'start', 'deaf')).stdout);
    const { pid } = keeperOf(root, id).process ?? { pid: 0 };
    expect(commandLineOf(pid)).toContain('counter.cjs');
    expect((await runCli(root, 'stop', id)).code).toBe(0);
    const repeated = await runCli(root, 'stop', id);
    expect(repeated).toMatchObject({ code: 1, stderr: `${alreadyAskedText(id)}\n` });
    const forced = await runCli(root, 'stop', id, '--force', '--wait');
    expect(forced).toMatchObject({ code: 0, stderr: '' });
    expect(forced.stdout).toContain('Its processes are ended now.');
    expect(forced.stdout).not.toContain('safe point');
    expect(forced.stdout).toMatch(/ stopped\.\n {2}Ended by SIG(?:TERM|KILL); none of its processes is left\.\n$/);
    const { workers } = json((await runCli(root, 'status', '--json')).stdout);
    expect(workers).toMatchObject([{ state: 'stopped', exit: { requestedBy: 'cli', forced: true } }]);
    expect(commandLineOf(pid)).toBe('');
  });

  it('refuses what it does not find, and a prefix of several', async () => {
    const root = await project();
    const first = await runCli(root, 'start', 'quick', '--wait');
    const second = await runCli(root, 'start', 'quick', '--wait');
    expect(await runCli(root, 'stop', 'wkr-1')).toMatchObject({
      code: 1,
      stderr: 'Worker wkr-1 not found in registry\n',
    });
    const several = await runCli(root, 'stop', 'wkr-', '--json');
    const { error } = json(several.stdout) as { error: { code: string; message: string } };
    expect(error.code).toBe('ambiguous');
    expect(error.message).toContain(idIn(first.stdout));
    expect(error.message).toContain(idIn(second.stdout));
  });
});

describe('rollcall answer, allow and deny', () => {
  it.each([
    ['answer', 'zzz', 'x'],
    ['allow', 'msg:35'],
    ['deny', 'zzz'],
  ])('%s %s says that nothing in the inbox is called so', async (...args) => {
    const run = await runCli(await project(), ...args);
    const stderr = `Nothing in the inbox is called ${args[1]}. See \`rollcall inbox\`.\n`;
    expect(run).toEqual({ code: 1, stdout: '', stderr });
  });
});

describe('rollcall logs', () => {
  it('prints the whole log, its last lines, or either as JSON', async () => {
    const root = await project();
    const id = idIn((await runCli(root, 'start', 'quick', '--wait')).stdout);
    const all = 'line 1\nline 2\nline 3\nline 4\nline 5\n';
    expect(await runCli(root, 'logs', id)).toEqual({ code: 0, stdout: all, stderr: '' });
    expect((await runCli(root, 'logs', id, '--tail', '2')).stdout).toBe('line 4\nline 5\n');
    expect((await runCli(root, 'logs', id, '--tail', '0')).stdout).toBe('');
    expect(json((await runCli(root, 'logs', id, '--tail', '1', '--json')).stdout)).toEqual({
      schema: 1,
      worker_id: id,
      lines: ['line 5'],
    });
    expect((await runCli(root, 'logs', id, '-f', '--tail', '3')).stdout).toBe('line 3\nline 4\nline 5\n');
  });

  it('-f shows every line of a running worker once, in order, and ends with it', async () => {
    const root = await project();
    const id = idIn((await runCli(root, 'start', 'counter')).stdout);
    const text = startCli(root, ['logs', id, '-f']);
    const asJson = startCli(root, ['logs', id, '-f', '--json']);
    await Promise.all([text.printed('line 40\n'), asJson.printed('"line 40"')]);
    writeFileSync(join(root, 'finish'), '');
    const { code, stdout } = await text.ended;
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual(lines.map((_line, index) => `line ${index}`));
    expect(stdout).toBe(readFileSync(join(workersOf(root), id, 'worker.log'), 'utf8'));
    expect(code).toBe(0);
    const documents = (await asJson.ended).stdout.trimEnd().split('\n').map(json);
    expect(documents.map(({ line }) => line)).toEqual(lines);
  });

  it('ends quietly when its reader has seen enough', async () => {
    const root = await project();
    const id = idIn((await runCli(root, 'start', 'counter')).stdout);
    const run = startCli(root, ['logs', id, '-f']);
    await run.printed('line 1\n');
    run.child.stdout?.destroy();
    expect(await run.ended).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(join(root, 'finish'), '');
  });

  it('says so where there is no log', async () => {
    const id = makeWorkerId('health-check', Date.now());
    const entry = { worker_id: id, type: 'health-check', status: 'running', started_at: new Date().toISOString() };
    const root = await tempProject({ '.keysarium/workers/registry.json': JSON.stringify({ workers: [entry] }) });
    expect(await runCli(root, 'logs', id)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('no log') as unknown,
    });
    expect(await runCli(root, 'logs', 'wkr-nobody')).toMatchObject({
      code: 1,
      stderr: 'Worker wkr-nobody not found in registry\n',
    });
  });
});

describe('rollcall list', () => {
  it('prints the four rows of the document, then the own types', async () => {
    const empty = await tempProject();
    const expected = readFileSync(join('test', 'fixtures', 'background-workers', 'list-table.txt'), 'utf8').trimEnd();
    expect((await runCli(empty, 'list', '--surface', 'slash')).stdout).toBe(`${expected}\n`);
    const root = await project();
    const { types } = json((await runCli(root, 'list', '--json')).stdout) as {
      types: { name: string; source: string }[];
    };
    expect(types.map(({ name }) => name)).toEqual([
      'consolidate',
      'export-brain',
      'health-check',
      'pattern-analysis',
      ...Object.keys(TYPES),
    ]);
    expect(readdirSync(empty)).toEqual([]);
  });
});

describe('the command line', () => {
  it('finds the project from a folder below it', async () => {
    const root = await project({ 'deep/er/file.txt': '' });
    await runCli(root, 'start', 'quick', '--wait');
    const below = await runCli('/', '--cwd', join(root, 'deep', 'er'), 'status', '--json');
    expect(json(below.stdout)).toMatchObject({ root });
    expect(readdirSync(join(root, 'deep', 'er'))).toEqual(['file.txt']);
  });

  it('works from the file alone, with no more environment than a PATH', async () => {
    const root = await project();
    const run = startCli(root, ['start', 'health-check', '--wait'], { env: { PATH: process.env['PATH'] } });
    expect((await run.ended).code).toBe(0);
  });

  it('carries no colour into a pipe', async () => {
    const root = await project();
    await runCli(root, 'start', 'quick', '--wait');
    expect((await runCli(root, 'status')).stdout).not.toContain('\u001B');
  });
});
