import { symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DoneWork, runWork } from '../../../test/support/runWork';
import { addFiles, tempProject } from '../../../test/support/tempProject';
import { consolidate } from './consolidate';
import type { PatternsReport } from './patternsReport';

const done = { '08_executive_summary.md': '# Summary\n\nTags: pilot-first\n' };

function cases(files: Readonly<Record<string, Readonly<Record<string, string>>>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).flatMap(([slug, texts]) =>
      Object.entries(texts).map(([name, text]) => [`researches/${slug}/${name}`, text]),
    ),
  );
}

function reportOf({ outputs }: DoneWork): PatternsReport {
  return JSON.parse(outputs['patterns.json'] ?? '') as PatternsReport;
}

describe('consolidate', () => {
  it('reads every Markdown file of every completed case, one case per item, and nothing else', async () => {
    const root = await tempProject(
      cases({
        a: { ...done, 'notes/deep/x.md': 'Tags: deep-note', 'data.txt': 'Tags: no-text' },
        b: { ...done, 'y.md': 'Tags: deep-note, no-text' },
        open: { 'README.md': 'Tags: pilot-first' },
        empty: { '08_executive_summary.md': '' },
        _draft: done,
        '.hidden': done,
      }),
    );
    const work = await runWork(consolidate, root);
    expect(work.phases).toEqual(['scanning researches', 'scanning researches']);
    expect(Object.keys(work.outputs).sort()).toEqual(['harvest-delta.md', 'patterns.json']);
    const { cases_analyzed: count, patterns } = reportOf(work);
    expect([count, patterns.map(({ name }) => name)]).toEqual([2, ['deep-note', 'pilot-first']]);
  });

  it('gives the same bytes for the same files, but for the time', async () => {
    const root = await tempProject(cases({ b: done, a: done, c: { ...done, 'x.md': '## Lessons\n- No owner' } }));
    const timeless = ({ outputs }: DoneWork) => JSON.stringify(outputs).replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME');
    expect(timeless(await runWork(consolidate, root))).toBe(timeless(await runWork(consolidate, root)));
  });

  it('says first that nothing was read for meaning', async () => {
    const { recommendations } = reportOf(await runWork(consolidate, await tempProject()));
    expect(recommendations[0]).toMatch(/^Counted, not understood: .* nothing was read for meaning\./);
  });

  it.each([
    [{}, 'There is no completed case'],
    [{ a: done }, 'There is one completed case'],
  ])('with too few cases writes both outputs and says why there is no pattern', async (files, words) => {
    const work = await runWork(consolidate, await tempProject(cases(files)));
    expect(reportOf(work).patterns).toEqual([]);
    expect(reportOf(work).recommendations[1]).toContain(words);
    expect(work.outputs['harvest-delta.md']).toContain('## Application Instructions');
  });

  it('leaves what the harvest holds out of the delta, and confirms it', async () => {
    const root = await tempProject({ ...cases({ a: done, b: done }), 'TOOLKIT_HARVEST.md': '- *Pilot first*: yes' });
    const work = await runWork(consolidate, root);
    expect(reportOf(work).patterns).toMatchObject([{ name: 'pilot-first' }]);
    expect(work.outputs['harvest-delta.md']).not.toContain('**pilot-first**');
    expect(reportOf(work).recommendations.join('\n')).toContain(
      'TOOLKIT_HARVEST.md already holds, and the cases confirm: pilot-first (2 cases).',
    );
  });

  it('names what it could not read and counts the rest', async () => {
    const root = await tempProject(cases({ a: { ...done, 'big.md': '' }, b: { ...done, 'x.md/inner.txt': '' } }));
    await truncate(join(root, 'researches/a/big.md'), 4 * 1024 * 1024 + 1);
    await addFiles(root, { 'TOOLKIT_HARVEST.md/x': '' });
    const report = reportOf(await runWork(consolidate, root));
    expect(report).toMatchObject({ cases_analyzed: 2, patterns: [{ frequency: 2 }] });
    expect(report.recommendations).toContain('Not read: researches/a/big.md is too large to read (4194305 bytes).');
    expect(report.recommendations).toContain('Not read: TOOLKIT_HARVEST.md is not a regular file.');
  });

  it('says when a case is too large to be read whole', async () => {
    const notes = Object.fromEntries(Array.from({ length: 230 }, (_x, i) => [`n${i}.md`, '']));
    const report = reportOf(await runWork(consolidate, await tempProject(cases({ a: { ...done, ...notes } }))));
    expect(report.recommendations.join('\n')).toContain('Case a is very large');
  });

  it('reads the first four million characters of a case and no more', async () => {
    const end = `Tags: near\n${' '.repeat(300)}\nTags: beyond`;
    const long = { ...done, '1.md': 'x'.repeat(4 * 1024 * 1024 - 200), '2.md': end };
    const both = cases({ a: long, b: long });
    const { patterns, recommendations } = reportOf(await runWork(consolidate, await tempProject(both)));
    expect(patterns.map(({ name }) => name)).toEqual(['near', 'pilot-first']);
    expect(recommendations.join('\n')).toContain('Case b is very large');
  });

  it('reads nothing through a link out of the project', async () => {
    const root = await tempProject(cases({ a: done, b: done }));
    await addFiles(root, {
      '../outside/x.md': 'Tags: secret-tag',
      '../outside/08_executive_summary.md': 'Tags: secret-tag',
    });
    await symlink('../../outside', join(root, 'researches/linked'));
    await symlink('../../../outside', join(root, 'researches/a/more'));
    await symlink('../../../outside/x.md', join(root, 'researches/b/x.md'));
    const work = await runWork(consolidate, root);
    expect(JSON.stringify(work.outputs)).not.toContain('secret');
    expect(reportOf(work).cases_analyzed).toBe(2);
  });
});
