import { findEngines } from './installEngines';

const found = findEngines();

/** The folder of the real programs, or null. Where their tests are required (ROLLCALL_REQUIRE_ENGINES), having none is an error. */
export const realEngines = 'bin' in found ? found.bin : null;

if ('trouble' in found) {
  if (process.env['ROLLCALL_REQUIRE_ENGINES'] !== undefined) {
    throw new Error(`The tests with the real claude, codex and opencode are required: ${found.trouble}.`);
  }
  process.stderr.write(`skipped: tests with the real claude, codex and opencode, because ${found.trouble}\n`);
}
