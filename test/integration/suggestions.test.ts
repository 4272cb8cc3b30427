import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostApi } from '../../src/core/host/api';
import { runCli } from '../support/runCli';
import { addFiles, setModified, tempProject } from '../support/tempProject';
import { openTestHost } from '../support/testHost';

const summary = (slug: string): string => `researches/${slug}/08_executive_summary.md`;
const cases = Object.fromEntries(['a', 'b', 'c'].map((slug) => [summary(slug), 'done']));
const CONSOLIDATE = {
  id: 'consolidate:3',
  type: 'consolidate',
  reason: '3 completed cases have not been consolidated yet.',
};

async function suggestedIn(root: string): Promise<readonly string[]> {
  const host = await openTestHost(root);
  return (await host.look()).suggestions.map(({ type }) => type);
}

async function answer(host: HostApi, id: string, accept: boolean): ReturnType<HostApi['answerSuggestion']> {
  return await host.answerSuggestion({ id, accept, requestedBy: 'vscode' });
}

describe('consolidate', () => {
  it('is suggested with the third completed case; an open case, an empty summary and hidden folders do not count', async () => {
    const root = await tempProject({
      [summary('a')]: 'x',
      [summary('b')]: 'x',
      [summary('empty')]: '',
      [summary('.hidden')]: 'x',
      [summary('_draft')]: 'x',
      'researches/open/README.md': 'x',
    });
    symlinkSync(join(root, 'researches/a'), join(root, 'researches/link'));
    expect(await suggestedIn(root)).toEqual([]);
    await addFiles(root, { [summary('c')]: 'x' });
    const host = await openTestHost(root);
    expect((await host.look()).suggestions).toEqual([CONSOLIDATE]);
    expect(existsSync(join(root, '.keysarium'))).toBe(false);
  });

  it('is not suggested when a result in a worker folder saw three cases, long after its entry has gone', async () => {
    const result = '.keysarium/workers/wkr-20260301-143022-consolidate/output/patterns.json';
    const root = await tempProject({ ...cases, [result]: '{"cases_analyzed": 2}' });
    expect(await suggestedIn(root)).toEqual(['consolidate']);
    await addFiles(root, { [result]: '{"cases_analyzed": 3}' });
    expect(await suggestedIn(root)).toEqual([]);
  });

  it('that is dismissed stays dismissed, in every process', async () => {
    const root = await tempProject(cases);
    const host = await openTestHost(root);
    expect(await answer(host, CONSOLIDATE.id, false)).toEqual({ ok: true, value: null });
    expect(host.getSnapshot().suggestions).toEqual([]);
    expect(await suggestedIn(root)).toEqual([]);
    expect((await host.look()).workers).toEqual([]);
    expect(readdirSync(join(root, '.keysarium/workers'))).toEqual(['suggestions.json']);
    expect(await answer(host, CONSOLIDATE.id, true)).toMatchObject({ ok: false, error: { code: 'not-found' } });
  });

  it('is not suggested where the configuration switches it off, or the workspace is not trusted', async () => {
    const off = { version: 1, triggers: { consolidateAfterCases: null } };
    const root = await tempProject({ ...cases, '.vscode/workers.json': JSON.stringify(off) });
    expect(await suggestedIn(root)).toEqual([]);
    const untrusted = await openTestHost(await tempProject(cases), { trusted: false });
    expect((await untrusted.look()).suggestions).toEqual([]);
    expect(await untrusted.noteBtoTest()).toMatchObject({ ok: false, error: { code: 'untrusted' } });
  });
});

describe('a health check', () => {
  const hour = 3_600_000;
  const attestation = (at: number): string =>
    JSON.stringify({ evaluations: [{ completed_at: new Date(at).toISOString() }] });

  it.each([
    ['an attestation of the project', '.judge-attestations.json', attestation(Date.now() - hour)],
    ['an attestation of a skill', '.claude/skills/x/.judge-attestations.json', attestation(Date.now() - hour)],
    [
      'a skill with a date',
      '.claude/skills/x/SKILL.md',
      `---\nbto_date: ${new Date(Date.now() - hour).toISOString()}\n---\n`,
    ],
  ])('is suggested by %s', async (_title, path, text) => {
    expect(await suggestedIn(await tempProject({ [path]: text }))).toEqual(['health-check']);
  });

  it('is not suggested when a report is newer than the test', async () => {
    const report = '.keysarium/workers/wkr-20260301-143022-health-check/output/health-report.json';
    const root = await tempProject({ '.judge-attestations.json': attestation(Date.now() - hour), [report]: '{}' });
    expect(await suggestedIn(root)).toEqual([]);
    await setModified(root, report, Date.now() - 2 * hour);
    expect(await suggestedIn(root)).toEqual(['health-check']);
  });

  it('that is accepted starts, and is not suggested again before the next test', async () => {
    const root = await tempProject({ '.judge-attestations.json': attestation(Date.now() - hour) });
    const host = await openTestHost(root);
    const [suggestion] = (await host.look()).suggestions;
    const started = await answer(host, suggestion?.id ?? '', true);
    expect(started).toMatchObject({ ok: true, value: { type: 'health-check' } });
    const id = started.ok ? (started.value?.workerId ?? '') : '';
    await host.waitForEnd(id, AbortSignal.timeout(30_000));
    expect(host.getSnapshot().suggestions).toEqual([]);
    const later = Date.now() + 60_000;
    writeFileSync(join(root, '.judge-attestations.json'), attestation(later));
    expect(await suggestedIn(root)).toEqual(['health-check']);
  });

  it('over the limit is refused with the protocol’s text, and stays suggested', async () => {
    const waiting = { description: 'waits', command: ['node', '-e', 'setTimeout(() => {}, 60000)'], graceSeconds: 1 };
    const root = await tempProject({
      '.judge-attestations.json': attestation(Date.now() - hour),
      '.vscode/workers.json': JSON.stringify({ version: 1, maxConcurrent: 1, types: { waiting } }),
    });
    const host = await openTestHost(root);
    const first = await host.start({ type: 'waiting', requestedBy: 'vscode' });
    const [suggestion] = (await host.look()).suggestions;
    expect(await answer(host, suggestion?.id ?? '', true)).toMatchObject({ ok: false, error: { code: 'limit' } });
    expect(host.getSnapshot().suggestions).toEqual([suggestion]);
    const worker = first.ok ? first.value.workerId : '';
    await host.stop({ worker, force: true, requestedBy: 'vscode' });
    await host.waitForEnd(worker, AbortSignal.timeout(30_000));
  });
});

it('what is answered and told at once, here and in other processes, is all remembered', async () => {
  const root = await tempProject({ ...cases, '.judge-attestations.json': '{"evaluations": [{}]}' });
  const hosts = await Promise.all([1, 2].map(async () => openTestHost(root)));
  const ids = (await hosts[0]?.look())?.suggestions.map(({ id }) => id) ?? [];
  expect(ids).toHaveLength(2);
  await Promise.all(hosts.map(async (host, index) => answer(host, ids[index] ?? '', false)));
  await Promise.all([1, 2, 3].map(async () => runCli(root, 'notify', 'bto-test')));
  const file = JSON.parse(readFileSync(join(root, '.keysarium/workers/suggestions.json'), 'utf8')) as {
    answers: object;
    btoTestAt: string | null;
  };
  expect(Object.keys(file.answers).sort()).toEqual([...ids].sort());
  expect(file.btoTestAt).not.toBeNull();
  expect(readdirSync(join(root, '.keysarium/workers'))).toEqual(['suggestions.json']);
});

describe('rollcall', () => {
  it('shows a suggestion as a hint beside the table, and as data in its JSON', async () => {
    const root = await tempProject(cases);
    const plain = await runCli(root, 'status', '--surface', 'slash');
    expect(plain).toEqual({
      code: 0,
      stdout: 'No workers have been started yet.\n',
      stderr: `Hint: ${CONSOLIDATE.reason} Start it with \`/workers start consolidate\`.\n`,
    });
    const json = JSON.parse((await runCli(root, 'status', '--json')).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({ workers: [], suggestions: [CONSOLIDATE] });
    expect(existsSync(join(root, '.keysarium'))).toBe(false);
  });

  it('notify tells of a bto-test that left nothing on disk', async () => {
    const root = await tempProject();
    mkdirSync(join(root, '.keysarium'));
    expect(await runCli(root, 'notify', 'bto-test')).toEqual({
      code: 0,
      stdout: 'Noted: a bto-test ran.\n',
      stderr: 'Hint: A bto-test ran, and no health check has run since. Start it with `rollcall start health-check`.\n',
    });
    const file = readFileSync(join(root, '.keysarium/workers/suggestions.json'), 'utf8');
    expect(JSON.parse(file)).toMatchObject({ version: 1, answers: {} });
    expect((await runCli(root, 'start', 'health-check', '--wait')).code).toBe(0);
    expect((await runCli(root, 'status')).stderr).toBe('');
    expect((await runCli(root, 'notify', 'lunch')).code).toBe(2);
  });

  it.each([['start', 'nothing'], ['list'], ['status']])(
    '%s names each fault of the configuration once, with its line',
    async (...args) => {
      const text =
        '{\n  "version": 1,\n  "types": {\n    "audit": { "description": "x", "command": "npm test" }\n  }\n}\n';
      const root = await tempProject({ '.vscode/workers.json': text });
      const { stderr } = await runCli(root, ...args);
      const [first = '', ...others] = stderr.trimEnd().split('\n');
      expect(first).toMatch(/^\.vscode\/workers\.json:4:\d+: types\.audit\.command must be a list of texts$/);
      expect(others.join('\n')).not.toContain('workers.json');
    },
  );
});
