import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dreamCycleType, protocolTypeNamed, protocolTypes } from './protocolTypes';
import { addendumFileOf, fillTemplate, promptFor, withAddendum } from './template';
import { outputDirOf } from './workerId';
import type { WorkerType } from './workerType';

const ID = 'wkr-20260301-143022-consolidate';

function prompt(type: WorkerType | null, template = 'Do {WORKER_ID} in {OUTPUT_DIR}.'): string {
  return promptFor({
    template,
    workerId: ID,
    type: type ?? dreamCycleType,
    outputDir: outputDirOf(ID),
    root: '/home/x/my project',
  });
}

it('names the worktree to edit in, and the output folder by a path that holds there', () => {
  const text = promptFor({
    template: 'Do it in {OUTPUT_DIR}.',
    workerId: ID,
    type: dreamCycleType,
    outputDir: `/p/${outputDirOf(ID)}`,
    root: '/p',
    worktree: '/p/.keysarium/worktrees/w',
  });
  expect(text).toContain('- Your git worktree: /p/.keysarium/worktrees/w. Edit there');
  expect(text).toContain(`Write only below: /p/.keysarium/workers/${ID}/, /p/.keysarium/worktrees/w/`);
  expect(text).toContain(`Do it in /p/.keysarium/workers/${ID}.`);
  expect(text).not.toContain('relative to the project root');
});

describe('filling a template', () => {
  it('replaces the two placeholders wherever they stand, without a trailing slash', () => {
    const text = 'Write {OUTPUT_DIR}/status.json as {WORKER_ID}; {OUTPUT_DIR}/output/';
    expect(fillTemplate(text, { workerId: ID, outputDir: 'a/b/' })).toBe(`Write a/b/status.json as ${ID}; a/b/output/`);
  });

  it('leaves every other brace alone', () => {
    const text = '{ "a": {worker_id}, "b": {{X}} } ${WORKER} {WORKER_ID';
    expect(fillTemplate(text, { workerId: ID, outputDir: 'a' })).toBe(text);
  });

  it('interprets nothing, neither in the text nor in the values', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('$&', '$1', '$$', '{OUTPUT_DIR}', '{WORKER_ID}', '$`'));
    fc.assert(
      fc.property(fc.array(fc.string()), value, value, (pieces, workerId, outputDir) => {
        const plain = pieces.map((piece) => piece.replaceAll('{', '('));
        const dir = outputDir.replace(/\/+$/, '');
        const filled = fillTemplate(plain.join('{WORKER_ID}{OUTPUT_DIR}'), { workerId, outputDir });
        expect(filled).toBe(plain.join(workerId + dir));
      }),
    );
  });
});

describe('the prompt of a worker', () => {
  const text = prompt(protocolTypeNamed('consolidate'));

  it('holds the five things that the document demands', () => {
    const dir = `.keysarium/workers/${ID}`;
    expect(text).toContain(`Do ${ID} in ${dir}.`);
    expect(text).toContain(`Worker id: ${ID}`);
    expect(text).toContain(`Output dir: ${dir} `);
    expect(text).toMatch(/write \S+\/status\.json at the start .* and at the end/);
    expect(text).toMatch(/check for \S+\/stop-requested between major operations/);
  });

  it('names type, project root and what may be written', () => {
    expect(text).toContain('Type: consolidate');
    expect(text).toContain('Project root: /home/x/my project');
    expect(prompt(protocolTypeNamed('export-brain'))).toContain(
      `Write only below: .keysarium/workers/${ID}/, .keysarium/exports/`,
    );
  });

  it('names the trigger for dream-cycle, for no other', () => {
    expect(prompt(dreamCycleType)).toContain('TRIGGER_REASON=manual');
    expect(text).not.toContain('TRIGGER_REASON');
  });
});

describe('the addendum of a template', () => {
  it('belongs to the pattern-analysis of the protocol and to no other type', () => {
    const withOne = [...protocolTypes, dreamCycleType].filter((type) => addendumFileOf(type) !== null);
    expect(withOne.map(({ name }) => name)).toEqual(['pattern-analysis']);
    expect(withOne.map(addendumFileOf)).toEqual(['pattern-analysis.md']);
    expect(withOne.map((type) => addendumFileOf({ ...type, source: 'workers.json' }))).toEqual([null]);
  });

  it('follows the template after one empty line, and its placeholders are filled too', () => {
    const joined = withAddendum('# Consolidate\n\n', '\n## More\nSee {OUTPUT_DIR}.\n');
    expect(joined).toBe('# Consolidate\n\n## More\nSee {OUTPUT_DIR}.\n');
    expect(prompt(protocolTypeNamed('pattern-analysis'), joined)).toMatch(
      new RegExp(`\\n\\n# Consolidate\\n\\n## More\\nSee \\.keysarium/workers/${ID}\\.\\n$`),
    );
  });
});
