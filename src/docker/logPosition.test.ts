import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempProject } from '../../test/support/tempProject';
import { LogPosition } from './logPosition';

const first = '2026-12-01T02:00:00.000000001Z';
const second = '2026-12-01T02:00:00.000000002Z';

it('goes on behind the last piece that was copied, also among pieces of one instant', async () => {
  const file = join(await tempProject(), 'position');
  const position = new LogPosition(file);
  expect(position.since).toBe('0');
  const isNewAtFirst = position.newOnes();
  for (const at of [first, second, second]) {
    expect(isNewAtFirst(at)).toBe(true);
    position.passed(at);
  }
  const later = new LogPosition(file);
  expect(later.since).toBe(`${Date.parse('2026-12-01T02:00:00Z') / 1000}.000000002`);
  const isNew = later.newOnes();
  expect([second, second, second, '2026-12-01T02:00:01.000000000Z'].map(isNew)).toEqual([false, false, true, true]);
});

it('begins at the beginning where its file is damaged', async () => {
  const file = join(await tempProject(), 'position');
  writeFileSync(file, 'zzz 7');
  const position = new LogPosition(file);
  expect([position.since, position.newOnes()(first)]).toEqual(['0', true]);
});
