import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { handClock } from '../../../test/support/handClock';
import { tempProject } from '../../../test/support/tempProject';
import { silentLogger } from '../base/logger';
import { DerivedFile } from './derivedFile';

it('writes a derived file a few times a second at most, at once, and only where it would hold something else', async () => {
  const path = join(await tempProject(), 'agent-status.json');
  const clock = handClock();
  let text = 'one';
  let asked = 0;
  const file = new DerivedFile({
    path,
    text: () => {
      asked += 1;
      return text;
    },
    everyMs: 250,
    clock,
    logger: silentLogger,
  });
  for (let change = 0; change < 1_000; change += 1) {
    file.touch();
    clock.go(1);
  }
  await file.flush();
  expect(asked).toBeLessThanOrEqual(5);
  expect(readFileSync(path, 'utf8')).toBe('one');
  const before = statSync(path).ino;
  await file.flush();
  expect(statSync(path).ino).toBe(before);
  text = 'two';
  await file.flush();
  expect(readFileSync(path, 'utf8')).toBe('two');
});

it('loses nothing where the disk takes nothing', async () => {
  const path = join(await tempProject(), 'absent', 'agent-status.json');
  const options = { path, text: () => 'one', everyMs: 250, clock: handClock(), logger: silentLogger };
  await new DerivedFile(options).flush();
  expect(existsSync(path)).toBe(false);
});
