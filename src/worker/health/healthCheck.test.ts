import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runWork } from '../../../test/support/runWork';
import { tempProject } from '../../../test/support/tempProject';
import { healthCheck } from './healthCheck';

it('a check that cannot be carried out fails by itself and lets the other five run', async () => {
  const hash = 'a'.repeat(64);
  const root = await tempProject({
    'researches/a/.witness-chain.json': JSON.stringify([{ file: 'huge.bin', hash }]),
    'researches/a/huge.bin': '',
  });
  await truncate(join(root, 'researches/a/huge.bin'), 64 * 1024 * 1024 + 1);
  const { log, outputs } = await runWork(healthCheck, root);
  expect(log).toHaveLength(7);
  expect(log[3]).toContain(
    'witness-chain: fail — could not be carried out: researches/a/huge.bin is larger than 64 MiB',
  );
  expect(JSON.parse(outputs['health-report.json'] ?? '')).toMatchObject({ summary: { total_checks: 6, failures: 1 } });
});
