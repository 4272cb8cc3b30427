import { chmod, mkdtemp, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { addFiles } from '../../test/support/tempProject';
import { systemClock } from '../core/base/clock';
import { Audit } from './audit';
import { LOOK_LIMITS, lookAtProtected } from './protectedFiles';

const clock = systemClock();
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rollcall-protected-'));
  onTestFinished(async () => rm(root, { recursive: true, force: true }));
  await addFiles(root, {
    'CLAUDE.md': 'rules',
    'researches/a/README.md': 'a',
    'researches/b/README.md': 'b',
    'researches/b/big.bin': 'x'.repeat(100_000),
    '.claude/settings.json': '{}',
    '.claude/session/state.json': '{}',
    'src/free.ts': 'anybody may change this',
  });
});

const spec = (): { root: string; folder: string } => ({ root, folder: join(root, '.keysarium/workers/wkr-own') });

async function found(change: () => Promise<void>): Promise<readonly string[]> {
  const audit = await Audit.begin(spec(), clock);
  await change();
  return (await audit.finish()).violations.map((one) => `${one.change} ${one.path}`);
}

describe('an audit', () => {
  it('finds what was added, changed and removed, in small files and in large ones', async () => {
    const changes = await found(async () => {
      await writeFile(join(root, 'researches/a/new.md'), 'x');
      await writeFile(join(root, 'CLAUDE.md'), 'other');
      await writeFile(join(root, 'researches/b/big.bin'), 'y'.repeat(100_000));
      await unlink(join(root, 'researches/b/README.md'));
    });
    expect([...changes].sort()).toEqual([
      'added researches/a/new.md',
      'changed CLAUDE.md',
      'changed researches/b/big.bin',
      'removed researches/b/README.md',
    ]);
  });

  it('finds a change whose author set size and time back', async () => {
    const past = new Date('2026-01-01T00:00:00Z');
    await utimes(join(root, 'researches/a/README.md'), past, past);
    const changes = await found(async () => {
      await writeFile(join(root, 'researches/a/README.md'), 'z');
      await utimes(join(root, 'researches/a/README.md'), past, past);
    });
    expect(changes).toEqual(['changed researches/a/README.md']);
  });

  it('does not follow links, and finds one that leads elsewhere now', async () => {
    await symlink(join(root, 'src'), join(root, 'researches/link'));
    const changes = await found(async () => {
      await writeFile(join(root, 'src/free.ts'), 'changed');
      await unlink(join(root, 'researches/link'));
      await symlink('/elsewhere', join(root, 'researches/link'));
    });
    expect(changes).toEqual(['changed researches/link']);
  });

  it('says nothing about the session folder, about other files, and about a file that was only touched', async () => {
    const changes = await found(async () => {
      await writeFile(join(root, '.claude/session/state.json'), '{"a": 1}');
      await writeFile(join(root, 'src/free.ts'), 'x');
      await utimes(join(root, 'CLAUDE.md'), new Date(), new Date());
      await chmod(join(root, 'CLAUDE.md'), 0o600);
    });
    expect(changes).toEqual([]);
  });

  it('lists fifty changes at most and says how many there were', async () => {
    const audit = await Audit.begin(spec(), clock);
    await addFiles(root, Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`researches/n/${n}.md`, 'x'])));
    const { violations, note } = await audit.finish();
    expect(violations).toHaveLength(50);
    expect(note).toBe('60 protected paths changed; the first 50 are listed');
  });
});

describe('a look at the protected files', () => {
  const places = { places: ['CLAUDE.md', 'researches'], except: [] };

  it('ends at its limits, says so, and always begins with the same files', async () => {
    const limits = { ...LOOK_LIMITS, files: 2 };
    const look = await lookAtProtected({ root, ...places }, clock, limits);
    expect([...look.files.keys()]).toEqual(['CLAUDE.md', 'researches/a/README.md']);
    expect(look.cut).toBe(true);
    expect((await lookAtProtected({ root, ...places }, clock)).cut).toBe(false);
  });

  it('ends when its time is over', async () => {
    const look = await lookAtProtected({ root, ...places }, clock, { ...LOOK_LIMITS, time: -1 });
    expect(look).toEqual({ files: new Map(), cut: true });
  });

  it('reads no more content than it may, and still tells files apart by their times', async () => {
    const look = await lookAtProtected({ root, ...places }, clock, { ...LOOK_LIMITS, content: 5 });
    expect([...look.files.values()].map(({ hash }) => hash !== null)).toEqual([true, false, false, false]);
  });
});
