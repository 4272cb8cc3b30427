// Tests start real programs: none of them may find the logins and keys of whoever runs the tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const keys = /^(ANTHROPIC|CLAUDE|OPENAI|CODEX|OPENCODE|GEMINI|GOOGLE|COPILOT|GH|GITHUB)_|^ROLLCALL_ENGINES$/i;
const marker = 'ROLLCALL_TEST_HOME';

/**
 * Gives this process and its children an empty home folder, for as long as this process lives, and no key of a model's
 * service. Caches stay where they are.
 */
export function moveToNobodysHome() {
  if (process.env[marker] !== undefined) {
    return;
  }
  const home = mkdtempSync(join(tmpdir(), 'rc-home-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  process.env.XDG_CACHE_HOME ??= join(homedir(), '.cache');
  Object.assign(process.env, { [marker]: home, HOME: home, USERPROFILE: home });
  for (const name of Object.keys(process.env).filter((one) => keys.test(one))) {
    delete process.env[name];
  }
}
