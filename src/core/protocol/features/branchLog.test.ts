import { describe, expect, it } from 'vitest';
import { readBranchLog } from './branchLog';

const BEFORE = '0'.repeat(40);

/** A line as git writes it; `hash` is repeated to its full length. */
function line(hash: string, seconds: number, message: string, by = 'A <B> C <a@b.c>'): string {
  return `${BEFORE} ${hash.repeat(40)} ${by} ${String(seconds)} +0100\t${message}\n`;
}

describe("git's log of a branch", () => {
  it('tells the last commit of each worker, and the last that names none', () => {
    const text = [
      line('1', 1_000, 'branch: Created from HEAD'),
      line('2', 1_001, 'commit: ZERG [0]: Define types'),
      line('3', 1_002, 'commit (amend): ZERG [0]: Define types: again'),
      line('4', 1_003, 'commit: ZERG [12]: Elsewhere'),
      line('5', 1_004, 'commit: wip ZERG [3]: not a prefix'),
      line('6', 1_005, 'reset: moving to HEAD~1'),
      line('7', 1_006, 'rebase (finish): refs/heads/zerg/auth/worker-0 onto 1111'),
    ].join('');
    expect(readBranchLog(text)).toEqual([
      { hash: '3333333', subject: 'ZERG [0]: Define types: again', at: 1_002_000, worker: '0' },
      { hash: '4444444', subject: 'ZERG [12]: Elsewhere', at: 1_003_000, worker: '12' },
      { hash: '5555555', subject: 'wip ZERG [3]: not a prefix', at: 1_004_000, worker: null },
    ]);
  });

  it('that is cut off at any byte tells nothing that it did not hold', () => {
    const text = `${line('2', 1_001, 'commit: ZERG [0]: One')}${line('3', 1_002, 'commit: ZERG [0]: Another one')}`;
    const subjects = new Set<string>();
    for (let length = 0; length <= text.length; length += 1) {
      for (const { subject, hash, at } of readBranchLog(text.slice(0, length))) {
        subjects.add(`${hash} ${String(at)} ${subject}`);
      }
    }
    expect([...subjects]).toEqual(['2222222 1001000 ZERG [0]: One', '3333333 1002000 ZERG [0]: Another one']);
  });

  it.each(['', '\n\n', 'commit: x\n', `${BEFORE} abc A <a> 1 +0000\tcommit: x\n`, line('2', 1, 'commit: '), '\uFEFF'])(
    'reads as nothing where it is %j',
    (text) => {
      expect(readBranchLog(text)).toEqual([]);
    },
  );
});
