import { describe, expect, it } from 'vitest';
import type { ProcessRow } from './processProbe';
import { insideFirst, treeMembers, type TreeClues } from './processTree';

const row = (pid: number, ppid: number, pgid: number): ProcessRow => ({ pid, ppid, pgid, startTime: `t${pid}` });
const leader = { pid: 100, pgid: 100, startTime: 't100' };
const clues: TreeClues = { leader, marker: 'M=1', known: [], groupIsOurs: true };

function membersOf(rows: readonly ProcessRow[], change: Partial<TreeClues> = {}, marked: readonly number[] = []) {
  const probe = { hasEnvMarker: (pid: number) => marked.includes(pid) };
  return treeMembers(rows, { ...clues, ...change }, probe).map(({ pid }) => pid);
}

describe('treeMembers', () => {
  it('takes the leader, its group and all descendants, in any order of rows', () => {
    const rows = [
      row(104, 103, 7),
      row(103, 102, 7),
      row(102, 100, 7),
      row(101, 1, 100),
      row(100, 50, 100),
      row(50, 1, 50),
    ];
    expect(membersOf(rows).sort()).toEqual([100, 101, 102, 103, 104]);
  });

  it('takes a process that left the group and lost its parents by the mark in its environment', () => {
    expect(membersOf([row(200, 1, 200), row(201, 200, 200), row(300, 1, 300)], {}, [200])).toEqual([200, 201]);
  });

  it('takes a process that earlier looks knew, and its children, although nothing marks them any more', () => {
    const known = [{ pid: 200, startTime: 't200' }];
    expect(membersOf([row(200, 1, 200), row(201, 200, 201)], { known })).toEqual([200, 201]);
  });

  it('takes no stranger who got the number of the leader, of its group or of a known process', () => {
    const stranger = { ...row(100, 1, 100), startTime: 'later' };
    const known = [{ pid: 200, startTime: 't200' }];
    const recycled = { ...row(200, 1, 200), startTime: 'later' };
    expect(membersOf([stranger, row(101, 100, 100), recycled], { known })).toEqual([]);
  });

  it('takes nobody by the group once the group was seen empty', () => {
    expect(membersOf([row(101, 1, 100)], { groupIsOurs: false })).toEqual([]);
  });

  it('never takes the caller itself, even as a descendant', () => {
    expect(membersOf([row(100, 1, 100), row(process.pid, 100, 100)])).toEqual([100]);
  });
});

describe('insideFirst', () => {
  // 100 the sandbox's program, 101 its shell, 102 bwrap, 103 the worker, 104 its child without a mark, 105 a relay
  const tree = [
    row(102, 101, 100),
    row(104, 103, 102),
    row(103, 102, 102),
    row(100, 1, 100),
    row(101, 100, 100),
    row(105, 102, 102),
  ];
  const pidsFor = (marked: readonly number[]) =>
    insideFirst(tree, 'INSIDE=1', { hasEnvMarker: (pid) => marked.includes(pid) }).map(({ pid }) => pid);

  it('gives the worker and its children without the sandbox around them, the innermost first', () => {
    expect(pidsFor([103])).toEqual([104, 103]);
    expect(pidsFor([103, 104])).toEqual([104, 103]);
  });

  it('gives nobody where no mark can be seen', () => {
    expect(pidsFor([])).toEqual([]);
  });

  it('ends on a circle of recycled numbers', () => {
    const circle = [row(1, 2, 1), row(2, 1, 1)];
    expect(insideFirst(circle, 'M', { hasEnvMarker: () => true })).toHaveLength(2);
  });
});
