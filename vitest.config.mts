import { defineConfig } from 'vitest/config';
import { moveToNobodysHome } from './scripts/nobodysHome.mjs';

moveToNobodysHome();

/**
 * Real processes on a machine that others use too: a test that failed is run once more, and `npm test` names each one that
 * needed it, with what it said the first time. ROLLCALL_NO_RETRY=1 allows none.
 */
const retry = process.env['ROLLCALL_NO_RETRY'] === '1' ? 0 : 1;

/** A limit finds what hangs, and nothing else: real processes on a machine that is busy take their time. */
const patience = 300_000;

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'] } },
      {
        test: {
          name: 'integration',
          retry,
          include: ['test/integration/**/*.test.ts'],
          testTimeout: patience,
          hookTimeout: patience,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'chaos',
          retry,
          include: ['test/chaos/**/*.test.ts'],
          testTimeout: 2 * patience,
          hookTimeout: patience,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'ui',
          retry,
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
