import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DoneWork, runWork } from '../../../test/support/runWork';
import { addFiles, tempProject } from '../../../test/support/tempProject';
import { patternAnalysis } from './patternAnalysis';

function json(outputs: DoneWork['outputs'], name: string): Record<string, unknown> {
  return JSON.parse(outputs[name] ?? '') as Record<string, unknown>;
}

function reward(value: number, id: string): string {
  return JSON.stringify({ id, reward: value, phase: 'phase-1', domain: 'banking', project_slug: 'a' });
}

describe('pattern-analysis', () => {
  it('writes what consolidate writes, and the averages of every record below the memory', async () => {
    const root = await tempProject({
      'researches/a/08_executive_summary.md': 'Tags: x1',
      '.keysarium/memory/banking/a/phase-1.json': reward(1, 'one'),
      '.keysarium/memory/rewards.jsonl': `${reward(0.5, 'two')}\n${reward(0, 'three')}\n{"torn":`,
      '.keysarium/memory/config.json': '{"reward_levels":{"good":0.7}}',
      '.keysarium/memory/notes.md': reward(0, 'not JSON'),
    });
    const work = await runWork(patternAnalysis, root);
    expect(work.phases).toEqual(['scanning researches', ...Array<string>(3).fill('reading rewards')]);
    expect(Object.keys(work.outputs).sort()).toEqual(['harvest-delta.md', 'patterns.json', 'reward-analysis.json']);
    const analysis = json(work.outputs, 'reward-analysis.json');
    expect(Object.keys(analysis)).toEqual([
      ...['generated_at', 'worker_id', 'records_analyzed', 'cases', 'overall', 'phases', 'domains'],
    ]);
    expect(analysis).toMatchObject({ records_analyzed: 3, overall: { records: 3, average: 0.5 } });
  });

  it('counts a record once, though an index and an archive name it again', async () => {
    const root = await tempProject({
      '.keysarium/memory/a.json': reward(1, 'one'),
      '.keysarium/memory/_archive/a.json': reward(1, 'one'),
      '.keysarium/memory/index.json': '{"records":{"one":{"reward":1,"stage":"x","domain":"y","file":"a.json"}}}',
    });
    const { outputs } = await runWork(patternAnalysis, root);
    expect(json(outputs, 'reward-analysis.json')).toMatchObject({ records_analyzed: 1 });
  });

  it('names the weakest phase and domain and what degrades', async () => {
    const some = (domain: string, phase: string, rewards: readonly number[]) =>
      rewards.map((value, i) => ({ domain, phase, reward: value, timestamp: `2026-01-0${i + 1}T00:00:00Z` }));
    const all = [...some('banking', 'phase-1', [1, 1, 0.3, 0.3]), ...some('retail', 'phase-2', [1])];
    const root = await tempProject({ '.keysarium/memory/all.json': JSON.stringify(all) });
    const { recommendations } = json((await runWork(patternAnalysis, root)).outputs, 'patterns.json');
    expect(recommendations).toEqual(
      expect.arrayContaining([
        'The phase with the lowest average reward is phase-1: 0.65 over 4 records.',
        'The domain with the lowest average reward is banking: 0.65 over 4 records.',
        'Find out why phase-1 is degrading: 0.65 over 4 records.',
        'Find out why banking is degrading: 0.65 over 4 records.',
      ]),
    );
  });

  it('says that there are no records instead of inventing a number', async () => {
    const { outputs } = await runWork(patternAnalysis, await tempProject());
    expect(json(outputs, 'reward-analysis.json')).toMatchObject({ overall: { records: 0, average: null } });
    expect(outputs['harvest-delta.md']).toContain('There is no reward record under .keysarium/memory');
  });

  it('names a file that is broken, and follows no link', async () => {
    const root = await tempProject({ '.keysarium/memory/bad.json': '{"reward":', 'x.json': reward(1, 'one') });
    await addFiles(root, { '../outside/y.json': reward(1, 'two') });
    await symlink('../../x.json', join(root, '.keysarium/memory/inside.json'));
    await symlink('../../../outside', join(root, '.keysarium/memory/outside'));
    const { outputs } = await runWork(patternAnalysis, root);
    expect(json(outputs, 'reward-analysis.json')).toMatchObject({ records_analyzed: 0 });
    expect(outputs['patterns.json']).toContain('Not read: .keysarium/memory/bad.json is not valid JSON');
  });
});
