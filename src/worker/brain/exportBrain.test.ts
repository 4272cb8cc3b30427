import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DoneWork, runWork } from '../../../test/support/runWork';
import { addFiles, tempProject } from '../../../test/support/tempProject';
import type { BrainExport } from './brainExport';
import { exportBrain } from './exportBrain';
import { exportName } from './writeExport';

function exportOf({ outputs }: DoneWork): BrainExport {
  return JSON.parse(Object.values(outputs)[0] ?? '') as BrainExport;
}

async function errorLog({ folder }: DoneWork): Promise<string> {
  return readFile(join(folder, 'error.log'), 'utf8').catch(() => 'none');
}

describe('export-brain', () => {
  it('goes through its five phases with an item for each skill, rule file, case and feature', async () => {
    const root = await tempProject({
      '.claude/skills/a/SKILL.md': '---\nname: Skill A\n---\n',
      '.claude/skills/b/SKILL.md': '',
      '.claude/rules/domain-specific.md': '## Retail\n- fast',
      'researches/x/README.md': '',
      'features/f/README.md': 'x',
      'features/f/08_qe_report.md': 'x',
      'features/g/README.md': 'x',
    });
    const work = await runWork(exportBrain, root);
    expect(work.phases).toEqual([
      ...['skill metadata', 'skill metadata', 'domain patterns', 'research summaries', 'harvest patterns'],
      ...['pipeline metrics', 'pipeline metrics'],
    ]);
    expect(exportOf(work).pipeline_metrics).toMatchObject({ total_features: 2, completed_features: 1 });
  });

  it('shows every phase and writes a whole export for an empty project', async () => {
    const work = await runWork(exportBrain, await tempProject({}, 'young'));
    expect(work.phases).toEqual([
      ...['skill metadata', 'domain patterns', 'research summaries', 'harvest patterns', 'pipeline metrics'],
    ]);
    expect(exportOf(work)).toEqual({
      version: '1.0',
      format: 'keysarium-brain',
      exported_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      source_project: 'young',
      worker_id: 'wkr-20260301-143022-test',
      skills: [],
      domain_patterns: [],
      research_summaries: [],
      harvest_patterns: { skills_count: 0, commands_count: 0, rules_count: 0, patterns_count: 0, patterns: [] },
      pipeline_metrics: {
        total_researches: 0,
        completed_researches: 0,
        total_features: 0,
        completed_features: 0,
        skill_tiers: { tier_0: 0, tier_1: 0, tier_2: 0, tier_3: 0 },
        domain_distribution: {},
      },
      metadata: { generator: 'background-worker-export-brain', keysarium_version: 'unknown' },
    });
    expect(await errorLog(work)).toBe('none');
  });

  it('takes project name and version from the files that state them', async () => {
    const root = await tempProject({ 'package.json': '{"name":"desk"}', '.keysarium.json': '{"version":"1.3.0"}' });
    expect(exportOf(await runWork(exportBrain, root))).toMatchObject({
      source_project: 'desk',
      metadata: { keysarium_version: '1.3.0' },
    });
  });

  it('puts the same bytes under the same name into .keysarium/exports', async () => {
    const root = await tempProject();
    const { outputs } = await runWork(exportBrain, root);
    const [name = ''] = Object.keys(outputs);
    expect(name).toMatch(/^brain-export-\d{8}-\d{6}\.json$/);
    expect(await readFile(join(root, '.keysarium/exports', name), 'utf8')).toBe(outputs[name]);
  });

  it('overwrites no earlier export, not even of the same second', async () => {
    const root = await tempProject();
    for (let i = 0; i < 4; i += 1) {
      await runWork(exportBrain, root);
    }
    expect(await readdir(join(root, '.keysarium/exports'))).toHaveLength(4);
  });

  it('is incomplete and still written when sections cannot be collected; error.log says why', async () => {
    const root = await tempProject({
      '.claude/skills/good/SKILL.md': '---\ntrust_tier: 2\n---\n',
      '.claude/skills/bad/SKILL.md/x': '',
      'researches/a/08_executive_summary.md/x': '',
      'TOOLKIT_HARVEST.md/x': '',
    });
    const work = await runWork(exportBrain, root);
    const { skills, metadata } = exportOf(work);
    expect(skills).toMatchObject([{ name: 'good', trust_tier: 2 }]);
    expect(metadata).toEqual({
      generator: 'background-worker-export-brain',
      keysarium_version: 'unknown',
      incomplete: true,
      missing_sections: ['skills', 'research_summaries', 'harvest_patterns'],
    });
    expect(await errorLog(work)).toContain('skills: .claude/skills/bad/SKILL.md is not a regular file');
    expect(await errorLog(work)).toContain('harvest_patterns: TOOLKIT_HARVEST.md is not a regular file');
    expect(work.log.at(-1)).toContain('incomplete: skills, research_summaries, harvest_patterns');
  });

  it.each([
    ['a link out of the project', '.keysarium/exports', '../../outside'],
    ['a link to a protected folder', '.keysarium/exports', '../researches'],
  ])('writes nothing through %s, and says that the copy is missing', async (_what, place, target) => {
    const root = await tempProject({ 'researches/a/README.md': '' });
    await addFiles(root, { '../outside/x': '' });
    await mkdir(join(root, '.keysarium'));
    await symlink(target, join(root, place));
    const work = await runWork(exportBrain, root);
    expect(await readdir(join(root, '../outside'))).toEqual(['x']);
    expect(await readdir(join(root, 'researches'))).toEqual(['a']);
    expect(Object.keys(work.outputs)).toHaveLength(1);
    expect(exportOf(work).metadata).not.toHaveProperty('incomplete');
    expect(await errorLog(work)).toContain(
      'no copy in .keysarium/exports: .keysarium/exports is a link or no folder. Put a real folder there.',
    );
  });

  it('names its files by the second in UTC', () => {
    expect(exportName(Date.UTC(2026, 2, 1, 14, 30, 22))).toBe('brain-export-20260301-143022.json');
  });
});
