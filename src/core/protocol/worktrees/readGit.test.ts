import { describe, expect, it } from 'vitest';
import { conflictsIn, countStatus, readNameStatus, readWorktreeList } from './readGit';
import { worktreeNames } from './worktree';

describe('what git prints', () => {
  it('about worktrees is read with blanks in paths, without a branch, and cut anywhere', () => {
    const text = [
      'worktree /p/мой проект\nHEAD 11\nbranch refs/heads/main\n',
      'worktree /p/w\nHEAD 22\ndetached\n',
      'worktree /bare\nbare\n',
    ].join('\n');
    expect(readWorktreeList(text)).toEqual([
      { path: '/p/мой проект', head: '11', branch: 'main' },
      { path: '/p/w', head: '22', branch: null },
    ]);
    for (let length = 0; length < text.length; length += 1) {
      expect(readWorktreeList(text.slice(0, length)).length).toBeLessThanOrEqual(2);
    }
  });

  it('about changed files is counted once per file, also where a rename has two names', () => {
    expect(countStatus('')).toBe(0);
    expect(countStatus(' M a b\0R  new\0old\0?? ü\0')).toBe(3);
    expect(readNameStatus('M\0a b\0A\0ü\0D\0gone\0T\0link\0')).toEqual([
      { path: 'a b', change: 'changed' },
      { path: 'ü', change: 'added' },
      { path: 'gone', change: 'removed' },
      { path: 'link', change: 'changed' },
    ]);
    expect(readNameStatus('')).toEqual([]);
  });

  it('about conflicts names each file once', () => {
    expect(conflictsIn('9f3\0a b\0a b\0ü\0\0' + '1\0a b\0Auto-merging\0x\0')).toEqual(['a b', 'ü']);
    expect(conflictsIn('9f3')).toEqual([]);
  });
});

describe('the name of a worktree', () => {
  it('is taken where git and every file system take it, and refused otherwise', () => {
    expect(worktreeNames('wkr-20260301-143022-health-check')).toEqual({
      branch: 'rollcall/wkr-20260301-143022-health-check',
      folder: '.keysarium/worktrees/wkr-20260301-143022-health-check',
    });
    for (const name of ['', '-f', '..', 'a/b', 'a b', 'a.lock', 'ü', 'a\n', 'a'.repeat(65)]) {
      expect([name, worktreeNames(name)]).toEqual([name, null]);
    }
  });
});
