import { createHash } from 'node:crypto';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addFiles, setModified, tempProject } from '../../../test/support/tempProject';
import { openProject } from '../project/projectReader';
import { brainState } from './brainState';
import type { Check, CheckOutcome } from './check';
import { dataFreshness } from './dataFreshness';
import { governanceIntegrity } from './governanceIntegrity';
import { skillTrustTiers } from './skillTrustTiers';
import { witnessChain } from './witnessChain';
import { workerSystem } from './workerSystem';

const NOW = Date.UTC(2026, 2, 1, 14, 30);
const DAY = 86_400_000;
const OWN = 'wkr-20260301-143000-health-check';
const WORKERS = '.keysarium/workers';

async function run(check: Check, root: string): Promise<CheckOutcome> {
  return check.run({ project: openProject(root), now: NOW, workerId: OWN, workersRoot: WORKERS });
}

async function verdictOf(check: Check, files: Readonly<Record<string, string>>): Promise<string> {
  const { status, message } = await run(check, await tempProject(files));
  return `${status}: ${message}`;
}

describe('skill-trust-tiers', () => {
  const skill = (tier: string): string => `---\nname: x\ntrust_tier: ${tier}\n---\n`;

  it('passes skills that state a tier in either notation, and tells the distribution', async () => {
    const root = await tempProject({
      '.claude/skills/a/SKILL.md': skill('2'),
      '.claude/skills/b/SKILL.md': '<!-- Trust Tier: 2 — evaluated -->',
      '.claude/skills/c/SKILL.md': `${skill('0')}<!-- Trust Tier: 0 -->`,
    });
    expect(await run(skillTrustTiers, root)).toMatchObject({
      status: 'pass',
      message: '3 skills with a valid trust tier',
      details: ['tier 0: 1 skill', 'tier 2: 2 skills'],
    });
  });

  it.each([
    ['warns of a skill without a tier', '# no tier', 'warn: a states no trust tier'],
    ['fails a tier that does not exist', skill('7'), 'fail: a states the trust tier 7, not 0 to 3'],
    ['fails two tiers that differ', `${skill('1')}<!-- Trust Tier: 2 -->`, 'fail: a states two trust tiers, 1 and 2'],
  ])('%s', async (_claim, text, expected) => {
    expect(await verdictOf(skillTrustTiers, { '.claude/skills/a/SKILL.md': text })).toBe(expected);
  });

  it('warns of a skill folder without SKILL.md', async () => {
    expect(await verdictOf(skillTrustTiers, { '.claude/skills/a/notes.md': '' })).toBe('warn: a has no SKILL.md');
  });

  it('does not read a SKILL.md that is a link', async () => {
    const root = await tempProject({ '.claude/skills/a/notes.md': skill('1') });
    await symlink('notes.md', join(root, '.claude/skills/a/SKILL.md'));
    expect(await run(skillTrustTiers, root)).toMatchObject({ message: 'SKILL.md of a is not a regular file' });
  });
});

describe('governance-integrity', () => {
  const sound = { 'CLAUDE.md': 'See `.claude/rules/a.md`.', '.claude/rules/a.md': '# A' };

  it('passes when every rule that is named is there', async () => {
    expect(await verdictOf(governanceIntegrity, sound)).toBe('pass: CLAUDE.md and 1 rule file are complete');
  });

  it.each([
    [
      'fails a rule that is named and missing',
      { 'CLAUDE.md': 'see .claude/rules/b.md' },
      'fail: CLAUDE.md names .claude/rules/b.md, which does not exist',
    ],
    ['fails an empty CLAUDE.md', { 'CLAUDE.md': ' \n' }, 'fail: CLAUDE.md is empty'],
    ['warns of an empty rule', { '.claude/rules/a.md': '' }, 'warn: .claude/rules/a.md is empty'],
    [
      'fails settings that are not JSON',
      { '.claude/settings.json': '{"a":' },
      'fail: .claude/settings.json is not valid JSON',
    ],
  ])('%s', async (_claim, changes, expected) => {
    expect(await verdictOf(governanceIntegrity, { ...sound, ...changes })).toContain(expected);
  });

  it('only warns a project that has no rules yet', async () => {
    const outcome = await run(governanceIntegrity, await tempProject());
    expect(outcome.status).toBe('warn');
    expect(outcome.details).toEqual(['there is no CLAUDE.md', 'there are no rules in .claude/rules']);
  });
});

describe('data-freshness', () => {
  const complete = (slug: string): Record<string, string> => ({
    [`researches/${slug}/08_executive_summary.md`]: 'done',
  });

  async function aged(
    files: Readonly<Record<string, string>>,
    ages: Readonly<Record<string, number>>,
  ): Promise<CheckOutcome> {
    const root = await tempProject(files);
    for (const file of Object.keys(files)) {
      await setModified(root, file, NOW - (ages[file] ?? 1) * DAY);
    }
    return run(dataFreshness, root);
  }

  it('passes fresh cases and skips dot and underscore folders', async () => {
    const files = { ...complete('a'), 'researches/b/00_brief.md': 'x', ...complete('_old'), ...complete('.tmp') };
    const old = { 'researches/_old/08_executive_summary.md': 999, 'researches/.tmp/08_executive_summary.md': 999 };
    expect(await aged(files, old)).toMatchObject({ status: 'pass', message: '2 cases up to date, 1 of them open' });
  });

  it.each([
    [14, 'pass'],
    [15, 'warn'],
  ])('judges an open case untouched for %d days: %s', async (days, status) => {
    const file = 'researches/a/00_brief.md';
    expect(await aged({ [file]: 'x' }, { [file]: days })).toMatchObject({ status });
  });

  it.each([
    [180, 'pass'],
    [181, 'warn'],
  ])('judges a case completed %d days ago: %s', async (days, status) => {
    expect(await aged(complete('a'), { 'researches/a/08_executive_summary.md': days })).toMatchObject({ status });
  });

  it('takes an empty summary for an open case', async () => {
    const file = 'researches/a/08_executive_summary.md';
    expect(await aged({ [file]: '' }, { [file]: 20 })).toMatchObject({
      message: 'a is open and untouched for 20 days',
    });
  });

  it('warns of a harvest that has not seen the newest cases', async () => {
    const files = { ...complete('a'), ...complete('b'), 'TOOLKIT_HARVEST.md': 'x' };
    const ages = { 'TOOLKIT_HARVEST.md': 5, 'researches/a/08_executive_summary.md': 9 };
    expect(await aged(files, ages)).toMatchObject({ message: 'TOOLKIT_HARVEST.md is older than 1 completed case' });
  });

  it('misses a harvest only once three cases are complete', async () => {
    const two = { ...complete('a'), ...complete('b') };
    expect(await aged(two, {})).toMatchObject({ status: 'pass' });
    expect(await aged({ ...two, ...complete('c') }, {})).toMatchObject({
      message: '3 cases are complete and there is no TOOLKIT_HARVEST.md',
    });
  });
});

describe('witness-chain', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const first = sha256(`brief\n${'0'.repeat(64)}`);
  const chain = (changes: object = {}): string =>
    JSON.stringify({
      chain: [
        { artifact: '00_brief.md', hash: `sha256:${first}`, previous_hash: `sha256:${'0'.repeat(64)}` },
        {
          artifact: '08_executive_summary.md',
          hash: `sha256:${sha256(`sum\n${first}`)}`,
          previous_hash: first,
          ...changes,
        },
      ],
    });
  const sound = {
    'researches/a/00_brief.md': 'brief\n',
    'researches/a/08_executive_summary.md': 'sum\n',
    'researches/a/.witness-chain.json': chain(),
  };

  it('passes a chain whose files are unchanged', async () => {
    expect(await verdictOf(witnessChain, sound)).toBe('pass: 2 files of 1 case verified');
  });

  it.each([
    [
      'fails a changed file',
      { 'researches/a/00_brief.md': 'brief!\n' },
      'fail: researches/a/00_brief.md was changed after it was witnessed',
    ],
    [
      'fails a torn chain',
      { 'researches/a/.witness-chain.json': '{"chain":[' },
      'fail: the witness chain of a is not valid JSON',
    ],
    [
      'warns of a chain without hashes',
      { 'researches/a/.witness-chain.json': '{"chain":[]}' },
      'warn: the witness chain of a lists no file hashes',
    ],
    [
      'fails a listed file that is gone',
      { 'researches/a/.witness-chain.json': chain({ artifact: '09.md' }) },
      'fail: a lists 09.md, which is not a file of the project',
    ],
    [
      'fails a listed file outside the project',
      { 'researches/a/.witness-chain.json': chain({ artifact: '../../../../etc/hostname' }) },
      'fail: a lists ../../../../etc/hostname, which is not a file of the project',
    ],
  ])('%s', async (_claim, changes, expected) => {
    expect(await verdictOf(witnessChain, { ...sound, ...changes })).toContain(expected);
  });

  it('fails a chain whose links do not hold together', async () => {
    const other = 'f'.repeat(64);
    const text = chain({ previous_hash: other, hash: sha256(`sum\n${other}`) });
    expect(await verdictOf(witnessChain, { ...sound, 'researches/a/.witness-chain.json': text })).toBe(
      'fail: the witness chain of a is broken before 08_executive_summary.md',
    );
  });

  it('expects a chain of completed cases only', async () => {
    expect(await verdictOf(witnessChain, { 'researches/a/08_executive_summary.md': 'x' })).toContain(
      'warn: a is complete',
    );
    expect(await verdictOf(witnessChain, { 'researches/a/00_brief.md': 'x' })).toContain('pass');
  });
});

describe('worker-system', () => {
  const OTHER = 'wkr-20260301-140000-consolidate';
  const statusFile = `${WORKERS}/${OTHER}/status.json`;
  const registry = (...rows: readonly object[]): Record<string, string> => ({
    [`${WORKERS}/registry.json`]: JSON.stringify({ version: '1.0', max_concurrent: 3, workers: rows }),
  });
  const own = { [`${WORKERS}/${OWN}/status.json`]: '{"status":"running"}' };
  const running = { worker_id: OTHER, status: 'running' };

  async function lastChanged(minutesAgo: number, status: string): Promise<CheckOutcome> {
    const root = await tempProject({ ...own, ...registry(running), [statusFile]: `{"status":"${status}"}` });
    await setModified(root, statusFile, NOW - minutesAgo * 60_000);
    return run(workerSystem, root);
  }

  it('takes itself for neither stale nor orphaned, even without a registry', async () => {
    const root = await tempProject(own);
    await setModified(root, `${WORKERS}/${OWN}/status.json`, NOW - DAY);
    expect(await run(workerSystem, root)).toMatchObject({ status: 'pass' });
    await addFiles(root, registry({ worker_id: OWN, status: 'running' }));
    expect(await run(workerSystem, root)).toMatchObject({
      status: 'pass',
      message: expect.stringMatching(/^0 other/) as string,
    });
  });

  it.each([
    [15, 'running', 'pass'],
    [16, 'running', 'warn'],
    [16, 'In_Progress', 'warn'],
    [600, 'completed', 'pass'],
  ])('judges a worker that said %2$s %1$d minutes ago', async (minutes, word, status) => {
    expect(await lastChanged(minutes, word)).toMatchObject({ status });
  });

  it('warns of a running worker that never reported', async () => {
    expect(await verdictOf(workerSystem, registry(running))).toBe(
      `warn: ${OTHER} is said to run and has no status.json`,
    );
  });

  it('warns of a worker folder that no registry knows, and of nothing that is no worker folder', async () => {
    const files = { ...registry(), [statusFile]: '{}', [`${WORKERS}/notes/x.md`]: '' };
    const outcome = await run(workerSystem, await tempProject(files));
    expect(outcome.details).toEqual([`${OTHER} is orphaned: a worker folder without a registry entry`]);
  });

  it('reads the registry tolerantly', async () => {
    const text = JSON.stringify({
      active_workers: [null, 7, { worker_id: '../../etc' }, { worker_id: OTHER, status: 'done' }],
    });
    const files = { [`${WORKERS}/registry.json`]: `// made by hand\n${text}`, [statusFile]: '{}' };
    expect(await verdictOf(workerSystem, files)).toBe('pass: 1 other worker known, none stale, none orphaned');
  });

  it('fails a registry that cannot be understood', async () => {
    expect(await verdictOf(workerSystem, { [`${WORKERS}/registry.json`]: '{"workers": [' })).toContain(
      'fail: registry.json',
    );
  });

  it('warns when the workers root lies outside the project', async () => {
    const project = openProject(await tempProject());
    const outcome = await workerSystem.run({ project, now: NOW, workerId: OWN, workersRoot: null });
    expect(outcome).toMatchObject({ status: 'warn', message: 'the workers root lies outside the project' });
  });
});

describe('brain-state', () => {
  const summary = 'researches/a/08_executive_summary.md';
  const brain = '.keysarium/exports/brain-export-20260228.json';
  const sound = { [summary]: 'x', [brain]: '{"format":"keysarium-brain"}', '.keysarium/memory/r/1.json': '[]' };

  async function withExportAged(files: Readonly<Record<string, string>>, days: number): Promise<CheckOutcome> {
    const root = await tempProject(files);
    await setModified(root, summary, NOW - 5 * DAY);
    await setModified(root, brain, NOW - days * DAY);
    return run(brainState, root);
  }

  it('passes an export that has seen the newest case', async () => {
    expect(await withExportAged(sound, 4)).toMatchObject({
      status: 'pass',
      message: '1 brain export and 1 memory file in order',
    });
  });

  it('warns of an export that has not', async () => {
    expect(await withExportAged(sound, 6)).toMatchObject({ status: 'warn' });
  });

  it.each([
    ['fails a torn export', { [brain]: '{"format":' }, 'fail', `${brain} is not valid JSON`],
    ['warns of a file that is no export', { [brain]: '{"format":"other"}' }, 'warn', `${brain} is no brain export`],
    ['fails a torn memory file', { '.keysarium/memory/r/1.json': '[' }, 'fail', '.keysarium/memory/r/1.json is not'],
  ])('%s', async (_claim, changes, status, text) => {
    const outcome = await withExportAged({ ...sound, ...changes }, 1);
    expect(outcome.status).toBe(status);
    expect(outcome.message).toContain(text);
  });

  it('expects an export once a case is complete, and not before', async () => {
    expect(await verdictOf(brainState, { [summary]: 'x' })).toBe(
      'warn: cases are complete and there is no brain export',
    );
    expect(await verdictOf(brainState, {})).toContain('pass');
  });
});
