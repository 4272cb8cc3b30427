import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseHarvestDelta, planHarvest } from '../../src/core/protocol/workers/harvestDelta';
import { runCli } from '../support/runCli';
import { tempProject } from '../support/tempProject';

const sample = fileURLToPath(new URL('../fixtures/sample-project', import.meta.url));

test('what the builtin consolidate proposes can be taken over piece by piece, once', async () => {
  const root = await tempProject();
  cpSync(sample, root, { recursive: true });
  // The sample's own file slows the workers down for people who watch.
  rmSync(join(root, '.vscode'), { recursive: true });
  const run = await runCli(root, 'start', 'consolidate', '--wait', '--json');
  const { worker_id: workerId } = JSON.parse(run.stdout) as { worker_id: string };
  const delta = readFileSync(join(root, '.keysarium/workers', workerId, 'output/harvest-delta.md'), 'utf8');
  const proposed = parseHarvestDelta(delta);
  const pieces = proposed.filter(({ kind }) => kind === 'piece');
  const numbered = delta.match(/^\d+\. Append/gm) ?? [];
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces).toHaveLength(numbered.length);
  expect(proposed.some(({ title }) => title === 'Application Instructions')).toBe(false);

  const harvest = readFileSync(join(root, 'TOOLKIT_HARVEST.md'), 'utf8');
  const { text, applied } = planHarvest(harvest, pieces, workerId);
  expect(applied).toEqual(pieces);
  const oldLines = harvest.split('\n').filter((line) => line !== '');
  const newLines = text.split('\n').filter((line) => line !== '');
  expect(newLines.filter((line) => oldLines.includes(line))).toEqual(oldLines);
  for (const { body, parent } of pieces) {
    const section = text.split(/^## /m).find((part) => part.startsWith(`${parent ?? ''}\n`));
    expect(section).toContain(`\n${body}\n`);
  }
  expect(planHarvest(text, pieces, workerId)).toEqual({ text, applied: [], present: pieces });
});
