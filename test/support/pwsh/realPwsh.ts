import { fileURLToPath } from 'node:url';
import { findPwsh } from './installPwsh';

const found = findPwsh(fileURLToPath(new URL('.', import.meta.url)));

/** A real PowerShell, or null. Where its tests are required (ROLLCALL_REQUIRE_PWSH), having none is an error instead. */
export const pwsh = 'path' in found ? found.path : null;

if ('trouble' in found) {
  if (process.env['ROLLCALL_REQUIRE_PWSH'] !== undefined) {
    throw new Error(`The tests with a real PowerShell are required: ${found.trouble}.`);
  }
  process.stderr.write(`skipped: tests with a real PowerShell, because there is ${found.trouble}\n`);
}
