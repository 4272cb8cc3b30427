import { defineConfig } from 'vitest/config';
import { moveToNobodysHome } from './scripts/nobodysHome.mjs';

moveToNobodysHome();

/** A limit finds what hangs, and nothing else: real processes on a machine that is busy take their time. */
const patience = 300_000;
/** What failed beside others is run once more alone (scripts/vitestLevel.mjs). */
const isSecondTry = process.env['ROLLCALL_SECOND_TRY'] === '1';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: patience } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: patience,
          hookTimeout: patience,
          maxWorkers: isSecondTry ? 1 : 2,
        },
      },
      {
        test: {
          name: 'chaos',
          include: ['test/chaos/**/*.test.ts'],
          testTimeout: 2 * patience,
          hookTimeout: patience,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'ui',
          include: ['test/ui/**/*.test.ts'],
          globalSetup: ['test/support/vscode/packExtension.ts'],
          testTimeout: patience,
          hookTimeout: 2 * patience,
          fileParallelism: false,
        },
      },
    ],
  },
});
