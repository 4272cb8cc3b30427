import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/base/clock';
import {
  entriesOf,
  formatRegistryDocument,
  type RegistryDocument,
} from '../../src/core/protocol/workers/registryDocument';
import type { RegistryEntry } from '../../src/core/protocol/workers/registryEntry';
import { replaceRegistry } from '../../src/core/registry/registryFile';
import { openRegistry, type Registry, type RegistryUpdate } from '../../src/core/registry/registryStore';
import { entryNumber, withEntry } from '../support/registryEntries';
import { useScript } from '../support/scriptProcess';
import { useTempFolder } from '../support/tempFolder';

const root = useTempFolder('registry');
const script = useScript('test/support/registryScript.ts');
let randoms = 0;

function workersDir(): string {
  return join(root.path, '.keysarium', 'workers');
}

function file(): string {
  return join(workersDir(), 'registry.json');
}

function open(): Registry {
  const randomHex = (bytes: number): string => (randoms += 1).toString(16).padStart(bytes * 2, '0');
  return openRegistry({ workersDir: workersDir(), clock: systemClock(), randomHex, maxConcurrent: 3 });
}

async function update(
  registry: Registry,
  change: (document: RegistryDocument) => RegistryDocument | null,
): Promise<RegistryUpdate> {
  const updated = await registry.update(change, { create: true });
  if (!updated.ok) {
    throw new Error(updated.error.message);
  }
  return updated.value;
}

function entriesIn({ document }: RegistryUpdate): readonly RegistryEntry[] {
  return document === null ? [] : entriesOf(document);
}

async function idsOnDisk(): Promise<string[]> {
  const look = await open().read();
  if (look.kind !== 'ok') {
    throw new Error(`the registry is ${look.kind}`);
  }
  return entriesOf(look.document).map((entry) => entry.worker_id);
}

function put(text: string): void {
  mkdirSync(workersDir(), { recursive: true });
  writeFileSync(file(), text);
}

function putRegistry(...entries: RegistryEntry[]): void {
  const rows = entries.map((entry) => ({ kind: 'entry', entry }) as const);
  put(formatRegistryDocument({ version: '1.0', maxConcurrent: 3, rows, extra: {} }));
}

/** A worker's folder with the given files. */
function putWorker(workerId: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(workersDir(), workerId), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(workersDir(), workerId, name), text);
  }
}

/** What another program does that has read the registry before us and knows no lock. */
function overwriteWithout(registryText: string, extraKey: string): void {
  const document = JSON.parse(registryText) as Record<string, unknown>;
  writeFileSync(file(), JSON.stringify({ ...document, [extraKey]: true }));
}

describe('a registry that is not there', () => {
  it('is not made by a look or a refresh', async () => {
    expect((await open().read()).kind).toBe('absent');
    const refreshed = await open().update((document) => withEntry(document, 'health-check', 1), { create: false });
    expect(refreshed).toEqual({ ok: true, value: { document: null, recovered: null } });
    expect(readdirSync(root.path)).toEqual([]);
  });

  it('is not made by a start that refuses itself under the lock', async () => {
    expect((await update(open(), () => null)).document).toBeNull();
    expect(existsSync(file())).toBe(false);
  });

  it('is made by a start exactly as the protocol writes it', async () => {
    await update(open(), (document) => withEntry(document, 'consolidate', 0));
    expect(readFileSync(file(), 'utf8')).toBe(`{
  "version": "1.0",
  "max_concurrent": 3,
  "workers": [
    {
      "worker_id": "wkr-20260301-143022-consolidate",
      "type": "consolidate",
      "status": "running",
      "model": "haiku",
      "started_at": "2026-03-01T14:30:22Z",
      "completed_at": null,
      "output_dir": ".keysarium/workers/wkr-20260301-143022-consolidate/",
      "retry_count": 0
    }
  ]
}
`);
    expect(readdirSync(workersDir())).toEqual(['registry.json']);
  });
});

describe('a registry that did not change', () => {
  it('keeps the very bytes of whoever wrote it', async () => {
    const foreign = '{"workers":[],"version":"1.0","note":"mine"}';
    put(foreign);
    await update(open(), (document) => ({ ...document }));
    expect(readFileSync(file(), 'utf8')).toBe(foreign);
  });
});

describe('a folder that is read-only', () => {
  it('gets nothing, and whoever asked is told what to do', async () => {
    mkdirSync(workersDir(), { recursive: true });
    chmodSync(root.path, 0o755);
    chmodSync(workersDir(), 0o555);
    // The rights of files do not bind root, so under root somebody else asks.
    const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const writer = script({ args: ['add', workersDir(), 'health-check', '1'], ...uid });
    await expect(writer.line()).rejects.toThrow(/read-only\. Make it writable/);
    const claimer = script({ args: ['claim', workersDir(), '1'], ...uid });
    expect(JSON.parse(await claimer.line())).toMatchObject({ ok: false, error: { code: 'read-only' } });
    expect(readdirSync(workersDir())).toEqual([]);
  });
});

describe('several processes', () => {
  it('never get the same worker id', async () => {
    const claimers = Array.from({ length: 3 }, () => script({ args: ['claim', workersDir(), '15'] }));
    const claims = claimers.map(async (claimer) => {
      const lines: string[] = [];
      while (lines.length < 15) {
        lines.push(await claimer.line());
      }
      return lines;
    });
    expect(new Set((await Promise.all(claims)).flat()).size).toBe(45);
    expect(readdirSync(workersDir())).toHaveLength(45);
  });

  it('lose none of 120 entries that they add at the same time', async () => {
    const writers = ['one', 'two', 'three'].map((type) => script({ args: ['add', workersDir(), type, '40'] }));
    expect(await Promise.all(writers.map(async (writer) => writer.ended()))).toEqual([0, 0, 0]);
    const ids = await idsOnDisk();
    expect(ids).toHaveLength(120);
    expect(new Set(ids).size).toBe(120);
  });

  it('leave a whole registry and a lock that can be had when they are killed at any moment', async () => {
    for (let round = 0; round < 12; round += 1) {
      const writer = script({ args: ['add', workersDir(), `round-${round}`, '1000'] });
      for (let line = 0; line <= round; line += 1) {
        await writer.line();
      }
      await writer.kill();
      const type = `after-${round}`;
      await update(open(), (document) => withEntry(document, type, 0));
      expect(await idsOnDisk()).toContain(entryNumber(type, 0).worker_id);
    }
    expect(await idsOnDisk()).toContain(entryNumber('round-11', 11).worker_id);
  });

  it('take the lock of one that was killed while it held it', async () => {
    const holder = script({ args: ['hold-lock', workersDir()] });
    expect(await holder.line()).toBe('"inside"');
    await holder.kill();
    await update(open(), (document) => withEntry(document, 'health-check', 0));
    expect(await idsOnDisk()).toEqual([entryNumber('health-check', 0).worker_id]);
    expect(readdirSync(workersDir())).toEqual(['registry.json']);
  });
});

describe('another program that knows no lock', () => {
  it('keeps what it wrote while we were changing the registry', async () => {
    putRegistry(entryNumber('health-check', 0));
    const written = await open().update(
      async (document) => {
        const other = script({ args: ['overwrite', workersDir(), 'foreign'] });
        await other.ended();
        return withEntry(document, 'consolidate', 1);
      },
      { create: true },
    );
    expect(written.ok).toBe(true);
    expect(await idsOnDisk()).toEqual([
      entryNumber('health-check', 0).worker_id,
      'wkr-20260301-000000-foreign',
      entryNumber('consolidate', 1).worker_id,
    ]);
  });

  it('cannot make us forget an entry that this process added', async () => {
    putRegistry(entryNumber('health-check', 0));
    const before = readFileSync(file(), 'utf8');
    const registry = open();
    await update(registry, (document) => withEntry(document, 'consolidate', 1));
    overwriteWithout(before, 'other_program');
    await update(registry, () => null);
    expect(await idsOnDisk()).toEqual([
      entryNumber('health-check', 0).worker_id,
      entryNumber('consolidate', 1).worker_id,
    ]);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toHaveProperty('other_program', true);
  });

  it('cannot make us forget a worker of ours that another process started', async () => {
    const lost = entryNumber('consolidate', 1);
    putRegistry(entryNumber('health-check', 0));
    putWorker(lost.worker_id, {
      'keeper.json': '{}',
      'status.json': JSON.stringify({ status: 'running', started_at: lost.started_at }),
    });
    await update(open(), () => null);
    const look = await open().read();
    const rows = look.kind === 'ok' ? entriesOf(look.document) : [];
    expect(rows.at(-1)).toEqual({ ...lost, model: 'sonnet' });
  });

  it('does not get foreign folders entered that it left out', async () => {
    putRegistry(entryNumber('health-check', 0));
    putWorker('wkr-20260301-143022-foreign', { 'status.json': '{"status":"running"}' });
    await update(open(), () => null);
    expect(await idsOnDisk()).toEqual([entryNumber('health-check', 0).worker_id]);
  });

  it('does not bring back what we removed ourselves', async () => {
    const registry = open();
    await update(registry, (document) => withEntry(document, 'consolidate', 1));
    await update(registry, (document) => ({ ...document, rows: [] }));
    await update(registry, () => null);
    expect(await idsOnDisk()).toEqual([]);
  });

  it('is never overwritten by a text that was made without knowing what it wrote', async () => {
    putRegistry(entryNumber('health-check', 0));
    const { stamp } = await open().read();
    putRegistry(entryNumber('foreign', 0));
    const theirs = readFileSync(file(), 'utf8');
    expect(await replaceRegistry(file(), 'ours', stamp)).toBe(false);
    expect(readFileSync(file(), 'utf8')).toBe(theirs);
    expect(await replaceRegistry(file(), 'ours', (await open().read()).stamp)).toBe(true);
    expect(readFileSync(file(), 'utf8')).toBe('ours');
  });
});

describe('a corrupt registry', () => {
  const torn = '{"version":"1.0","workers":[{"worker_id":"wkr-2026';
  const cases: readonly (readonly [string, string])[] = [
    ['torn', torn],
    ['empty', ''],
    ['of zero bytes', '\0'.repeat(4096)],
    ['not JSON', 'workers: none'],
    ['a list', '[]'],
    ['null', 'null'],
    ['with workers that are no list', '{"workers": 3}'],
    ['of 10 MB', `{"workers":[${'0,'.repeat(5 * 1024 * 1024)}0]}`],
  ];

  it.each(cases)('that is %s is kept aside to the byte and made again from the worker folders', async (_name, text) => {
    put(text);
    putWorker('wkr-20260301-143500-health-check', {
      'status.json': JSON.stringify({
        status: 'done',
        started_at: '2026-03-01T14:35:00Z',
        completed_at: '2026-03-01T14:36:00Z',
      }),
    });
    putWorker('wkr-20260301-143022-consolidate', { 'status.json': '{ torn' });
    const updated = await update(open(), () => null);

    const copies = readdirSync(workersDir()).filter((name) => name.startsWith('registry.json.corrupt-'));
    expect(copies).toHaveLength(1);
    expect(readFileSync(join(workersDir(), copies[0] ?? ''), 'utf8') === text).toBe(true);
    expect(updated.recovered?.message).toContain(copies[0]);
    expect(updated.recovered?.message).toContain('2 worker folders');
    const entries = new Map(entriesIn(updated).map((entry) => [entry.type, entry]));
    expect(entries.get('health-check')).toMatchObject({
      status: 'completed',
      model: 'haiku',
      completed_at: '2026-03-01T14:36:00Z',
    });
    expect(entries.get('consolidate')).toMatchObject({ status: 'unknown', model: 'sonnet', completed_at: null });
    expect((await open().read()).kind).toBe('ok');
  });

  it('is only told about by a look, not touched', async () => {
    put(torn);
    const look = await open().read();
    expect(look).toMatchObject({ kind: 'corrupt', reason: expect.stringContaining('registry.json') as unknown });
    expect(readdirSync(workersDir())).toEqual(['registry.json']);
    expect(readFileSync(file(), 'utf8')).toBe(torn);
  });

  it('is rebuilt without names outside the grammar and without links', async () => {
    put(torn);
    mkdirSync(join(root.path, 'elsewhere'));
    mkdirSync(join(workersDir(), 'notes'));
    mkdirSync(join(workersDir(), 'wkr-20260301-143022-Bad_Name'));
    symlinkSync(join(root.path, 'elsewhere'), join(workersDir(), 'wkr-20260301-143022-linked'));
    expect(entriesIn(await update(open(), () => null))).toEqual([]);
  });

  it('never overwrites the copy of an earlier one', async () => {
    for (const text of ['first', 'second', 'third']) {
      put(text);
      await update(open(), () => null);
    }
    const copies = readdirSync(workersDir()).filter((name) => name.startsWith('registry.json.corrupt-'));
    expect(copies.map((name) => readFileSync(join(workersDir(), name), 'utf8')).sort()).toEqual([
      'first',
      'second',
      'third',
    ]);
  });

  it('that heals while we look twice is not given up', async () => {
    put(torn);
    const reading = open().read();
    putRegistry(entryNumber('health-check', 0));
    expect((await reading).kind).toBe('ok');
  });
});

describe('a registry that must not be written', () => {
  it('keeps its bytes when its version is not 1.x', async () => {
    const text = '{"version":"2.0","workers":{}}';
    put(text);
    const refused = await open().update((document) => withEntry(document, 'health-check', 0), { create: true });
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'registry-version', message: expect.stringContaining('2.0') as unknown },
    });
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  it('is refused when it is a link to another file', async () => {
    mkdirSync(workersDir(), { recursive: true });
    writeFileSync(join(root.path, 'victim.json'), '{"workers":[]}');
    symlinkSync(join(root.path, 'victim.json'), file());
    const refused = await open().update((document) => withEntry(document, 'health-check', 0), { create: true });
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('link') as unknown } });
    expect(readFileSync(join(root.path, 'victim.json'), 'utf8')).toBe('{"workers":[]}');
  });

  it('keeps a bad row and unknown keys when another row changes', async () => {
    const bad = { worker_id: 7, mine: 'kept' };
    put(JSON.stringify({ version: '1.0', note: 'theirs', workers: [bad] }));
    await update(open(), (document) => withEntry(document, 'health-check', 0));
    const written = JSON.parse(readFileSync(file(), 'utf8')) as { note: string; workers: unknown[] };
    expect(written.note).toBe('theirs');
    expect(written.workers[0]).toEqual(bad);
    expect(written.workers).toHaveLength(2);
  });

  it('lets what the change throws through, and the lock go', async () => {
    const registry = open();
    const broken = registry.update(
      () => {
        throw new RangeError('a defect of the caller');
      },
      { create: true },
    );
    await expect(broken).rejects.toThrow(RangeError);
    await update(registry, (document) => withEntry(document, 'health-check', 0));
    expect(await idsOnDisk()).toHaveLength(1);
  });
});
