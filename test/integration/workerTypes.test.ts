import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareSample } from '../../scripts/sample.mjs';
import { readStatus, startBuiltin, watchStatus } from '../support/builtinWorker';
import { bundledProgram } from '../support/bundledProgram';
import { addFiles, tempProject } from '../support/tempProject';

const worker = bundledProgram('src/worker/main.ts');
const goldens = new URL('../fixtures/builtin-outputs/', import.meta.url);
const types = ['consolidate', 'pattern-analysis', 'export-brain'];

type Json = Record<string, unknown>;

function idOf(type: string): string {
  return `wkr-20260301-143022-${type}`;
}

async function start(root: string, type: string, paceMs = 0) {
  return startBuiltin({ script: worker.path(), root, type, id: idOf(type), paceMs });
}

async function runToEnd(root: string, type: string) {
  const { folder, ended } = await start(root, type);
  return { ...(await ended), folder, status: await readStatus(folder), outputs: await outputsOf(folder) };
}

/** The outputs by name, with everything that tells the time masked. */
async function outputsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(join(folder, 'output'));
  const texts = names.map(async (name) => {
    const text = await readFile(join(folder, 'output', name), 'utf8');
    return [name.replace(/\d{8}-\d{6}/, 'TIME'), text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** Every file of the project outside `.keysarium`, with its content and the time of its last change. */
async function protectedFiles(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const outside = files.filter((path) => !path.startsWith(join(root, '.keysarium/workers')));
  const kept = outside.filter((path) => !path.startsWith(join(root, '.keysarium/exports')));
  return Promise.all(
    kept.map(async (path) => `${path} ${(await lstat(path)).mtimeMs} ${await readFile(path, 'base64')}`),
  );
}

async function sampleProject(): Promise<string> {
  return prepareSample(join(await tempProject(), 'sample'));
}

function manyCases(count: number): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (let i = 0; i < count; i += 1) {
    const folder = `researches/case-${`${i}`.padStart(3, '0')}`;
    files[`${folder}/README.md`] = `Domain: domain ${i % 7}\n`;
    files[`${folder}/08_executive_summary.md`] = `# Summary\n\nCase ${i} is done.\n\nTags: tag ${i % 10}, everywhere\n`;
  }
  return files;
}

describe('on the sample workspace', () => {
  it.each(types)('%s writes exactly the outputs that were looked through by a person', async (type) => {
    const { code, outputs } = await runToEnd(await sampleProject(), type);
    expect(code).toBe(0);
    const names = await readdir(new URL(`${type}/`, goldens));
    const expected = names.map(
      async (name) => [name, await readFile(new URL(`${type}/${name}`, goldens), 'utf8')] as const,
    );
    expect(outputs).toEqual(Object.fromEntries(await Promise.all(expected)));
  });

  it.each(types)('%s changes nothing but its own folder and the exports', async (type) => {
    const root = await sampleProject();
    const before = await protectedFiles(root);
    await runToEnd(root, type);
    expect(await protectedFiles(root)).toEqual(before);
    const added = (await readdir(join(root, '.keysarium/exports'))).length - 1;
    expect(added).toBe(type === 'export-brain' ? 1 : 0);
  });
});

describe('the outputs', () => {
  const patternKeys = ['type', 'name', 'frequency', 'confidence', 'source_cases'];
  const reportKeys = ['generated_at', 'worker_id', 'cases_analyzed', 'patterns', 'anti_patterns', 'recommendations'];

  it.each(['consolidate', 'pattern-analysis'])('of %s have the keys and headings of the protocol', async (type) => {
    const { outputs } = await runToEnd(await sampleProject(), type);
    const report = JSON.parse(outputs['patterns.json'] ?? '') as Record<string, Json[]>;
    expect(Object.keys(report)).toEqual(reportKeys);
    expect(report['worker_id']).toBe(idOf(type));
    expect(report['patterns']?.map((pattern) => Object.keys(pattern))).toContainEqual(patternKeys);
    expect(report['anti_patterns']?.map((anti) => Object.keys(anti))).toContainEqual(['name', 'occurrences', 'fix']);
    for (const { type: kind, frequency, confidence, source_cases: sources } of report['patterns'] ?? []) {
      expect(['domain', 'technology', 'solution']).toContain(kind);
      expect(['high', 'medium', 'low']).toContain(confidence);
      expect(sources).toHaveLength(frequency as number);
    }
    expect(outputs['harvest-delta.md']?.match(/^#.*$/gm)).toEqual([
      '# Harvest Delta — TIME',
      '## New Patterns Discovered',
      '### Domain Patterns',
      '### Technology Patterns',
      '### Solution Patterns',
      '## Recommendations',
      '## Application Instructions',
    ]);
  });

  it('of export-brain have the keys of the protocol, and the copy is the same file', async () => {
    const root = await sampleProject();
    const { folder } = await runToEnd(root, 'export-brain');
    const [name = ''] = await readdir(join(folder, 'output'));
    const text = await readFile(join(folder, 'output', name), 'utf8');
    expect(await readFile(join(root, '.keysarium/exports', name), 'utf8')).toBe(text);
    const document = JSON.parse(text) as Json;
    expect(Object.keys(document)).toEqual([
      ...['version', 'format', 'exported_at', 'source_project', 'worker_id', 'skills', 'domain_patterns'],
      ...['research_summaries', 'harvest_patterns', 'pipeline_metrics', 'metadata'],
    ]);
    expect((document['skills'] as Json[]).map((skill) => Object.keys(skill))[0]).toEqual([
      ...['name', 'description', 'trust_tier', 'trust_label', 'has_references', 'has_modules', 'has_examples'],
    ]);
    expect((document['domain_patterns'] as Json[]).map((entry) => Object.keys(entry))[0]).toEqual([
      ...['domain', 'rules', 'palette'],
    ]);
    expect((document['research_summaries'] as Json[]).map((entry) => Object.keys(entry))[0]).toEqual([
      ...['slug', 'domain', 'status', 'summary'],
    ]);
    expect(Object.keys(document['pipeline_metrics'] as Json)).toEqual([
      ...['total_researches', 'completed_researches', 'total_features', 'completed_features', 'skill_tiers'],
      'domain_distribution',
    ]);
    const stamp = /brain-export-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)\.json/.exec(name)?.slice(1) ?? [];
    expect(document['exported_at']).toBe(`${stamp.slice(0, 3).join('-')}T${stamp.slice(3).join(':')}Z`);
  });
});

describe('progress', () => {
  it.each([
    ['consolidate', 5, ['initializing', 'scanning researches', 'analyzing patterns', 'completed']],
    [
      'pattern-analysis',
      21,
      ['initializing', 'scanning researches', 'reading rewards', 'analyzing patterns', 'completed'],
    ],
    [
      'export-brain',
      13,
      [
        ...['initializing', 'skill metadata', 'domain patterns', 'research summaries', 'harvest patterns'],
        ...['pipeline metrics', 'completed'],
      ],
    ],
  ])('of %s counts to its real total and goes through its phases in order', async (type, total, phases) => {
    const seen = await watchStatus(await start(await sampleProject(), type, 100));
    const progress = seen.map((status) => status['progress'] as Json);
    expect([...new Set(progress.map(({ phase }) => phase))]).toEqual(phases);
    const started = progress.filter(({ phase }) => phase !== 'initializing');
    expect(new Set(started.map(({ total_items: items }) => items))).toEqual(new Set([total]));
    const processed = started.map(({ items_processed: items }) => items as number);
    expect(processed).toEqual([...processed].sort((a, b) => a - b));
    expect(seen.at(-1)).toMatchObject({ status: 'completed', progress: { items_processed: total }, error: null });
  });
});

describe('a stop request', () => {
  it.each(types)('ends %s between two items, without outputs and without an export', async (type) => {
    const root = await sampleProject();
    const run = await start(root, type, 60_000);
    const status = join(run.folder, 'status.json');
    await expect
      .poll(async () => readFile(status, 'utf8').catch(() => ''), { timeout: 60_000 })
      .toMatch(/total_items": \d/);
    await writeFile(join(run.folder, 'stop-requested'), '', { flag: 'wx' });
    expect(await run.ended).toMatchObject({ code: 0, log: expect.stringContaining('Stopped as asked.') as string });
    expect(await readStatus(run.folder)).toMatchObject({ status: 'stopped', progress: { items_processed: 0 } });
    expect(await readdir(run.folder)).toEqual(['status.json', 'stop-requested']);
    expect(await readdir(join(root, '.keysarium/exports'))).toHaveLength(1);
  });

  it('is obeyed in the middle of many cases, after the one at work', async () => {
    const root = await tempProject(manyCases(50));
    const run = await start(root, 'consolidate', 20);
    const processed = async (): Promise<number> => {
      const status = await readStatus(run.folder).catch(() => ({ progress: {} }));
      return ((status as Json)['progress'] as { items_processed?: number }).items_processed ?? 0;
    };
    await expect.poll(processed, { timeout: 60_000, interval: 5 }).toBeGreaterThan(2);
    await writeFile(join(run.folder, 'stop-requested'), '');
    const { log } = await run.ended;
    const { progress } = (await readStatus(run.folder)) as { progress: { items_processed: number } };
    const worked = log.match(/^\[\d+\/50\] /gm)?.length ?? 0;
    expect(worked).toBeLessThan(50);
    // The item at work when the flag appeared is done and is not yet counted as processed.
    expect(worked - progress.items_processed).toBeLessThanOrEqual(1);
  });
});

describe('projects of every kind', () => {
  it.each(types)('an empty one is no failure for %s', async (type) => {
    const { code, status, folder } = await runToEnd(await tempProject(), type);
    expect(code).toBe(0);
    expect(status).toMatchObject({ status: 'completed', error: null });
    expect(await readdir(folder)).toEqual(['output', 'status.json']);
  });

  const odd = ['with spaces & (brackets)', 'проект', '🚀 ракета', '-leading-dash', "it's"];
  it.each(types.flatMap((type) => odd.map((name) => [type, name])))(
    '%s works in a folder named %s',
    async (type, name) => {
      const files = {
        'researches/кейс 🚀 #1/08_executive_summary.md': 'Теги: пилот',
        '.claude/skills/наб `x`/SKILL.md': '# Ж',
      };
      const { code, outputs } = await runToEnd(await tempProject(files, name), type);
      expect(code).toBe(0);
      const text = Object.values(outputs).join('\n');
      expect(text).toContain(type === 'export-brain' ? 'кейс 🚀 #1' : '"cases_analyzed": 1');
    },
  );

  it('three hundred cases are all counted, and each worker keeps to its real total', async () => {
    const root = await tempProject(manyCases(300));
    const consolidated = await runToEnd(root, 'consolidate');
    expect(consolidated.status).toMatchObject({ progress: { items_processed: 300, total_items: 300 } });
    const report = JSON.parse(consolidated.outputs['patterns.json'] ?? '') as { patterns: Json[] };
    expect(report.patterns[0]).toMatchObject({ name: 'everywhere', frequency: 300, confidence: 'high' });
    expect(report.patterns.filter(({ name }) => /^tag \d$/.test(name as string))).toHaveLength(10);
    const exported = await runToEnd(root, 'export-brain');
    const brain = JSON.parse(exported.outputs['brain-export-TIME.json'] ?? '') as { pipeline_metrics: Json };
    expect(brain.pipeline_metrics).toMatchObject({ total_researches: 300, completed_researches: 300 });
    expect(exported.status).toMatchObject({ progress: { items_processed: 304, total_items: 304 } });
  });

  it('files of any bytes break none of the types', async () => {
    const junk = [
      '\0\0\0',
      '---\n'.repeat(1000),
      '# '.repeat(5000),
      '{"reward":',
      '|'.repeat(100_000),
      '## Lessons\n- →',
    ];
    const files = junk.flatMap((text, i) => [
      [`researches/c${i}/08_executive_summary.md`, text],
      [`researches/c${i}/x.md`, text],
      [`.claude/skills/s${i}/SKILL.md`, text],
      [`.claude/rules/domain-${i}.md`, text],
      [`.keysarium/memory/m${i}.json`, text],
    ]);
    const root = await tempProject({
      ...(Object.fromEntries(files) as Record<string, string>),
      'TOOLKIT_HARVEST.md': junk.join('\n'),
    });
    for (const type of types) {
      expect(await runToEnd(root, type)).toMatchObject({ code: 0, status: { status: 'completed' } });
    }
  });
});

describe('an export that lacks something', () => {
  it('is completed, says what is missing and why, and is still copied', async () => {
    const root = await sampleProject();
    await addFiles(root, { '.claude/skills/broken/SKILL.md/x': '', 'features-note': '' });
    const { code, status, folder, outputs, log } = await runToEnd(root, 'export-brain');
    expect(code).toBe(0);
    expect(status).toMatchObject({ status: 'completed', error: null });
    expect(JSON.parse(outputs['brain-export-TIME.json'] ?? '')).toMatchObject({
      metadata: { incomplete: true, missing_sections: ['skills'] },
      research_summaries: { length: 6 },
    });
    expect(await readFile(join(folder, 'error.log'), 'utf8')).toContain(
      '.claude/skills/broken/SKILL.md is not a regular file',
    );
    expect(log).toContain('incomplete: skills; copied to .keysarium/exports/');
  });

  it('is written to the worker’s folder also where no copy can be made', async () => {
    const root = await tempProject();
    const outside = await tempProject();
    await mkdir(join(root, '.keysarium'));
    await symlink(outside, join(root, '.keysarium/exports'));
    const { code, folder, outputs } = await runToEnd(root, 'export-brain');
    expect(code).toBe(0);
    expect(Object.keys(outputs)).toEqual(['brain-export-TIME.json']);
    expect(await readFile(join(folder, 'error.log'), 'utf8')).toContain('Put a real folder there.');
    expect(await readdir(outside)).toEqual([]);
  });

  it('fails only when it cannot be written at all', async () => {
    const root = await tempProject();
    const folder = join(root, '.keysarium/workers', idOf('export-brain'));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'output'), 'a file where the folder should be');
    const { ended } = await start(root, 'export-brain');
    expect((await ended).code).toBe(1);
    expect(await readStatus(folder)).toMatchObject({ status: 'failed', error: expect.any(String) as string });
  });
});
