import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineProject, terminalEnv, workerIdIn } from '../support/engines/engineProject';
import type { RealEngineName } from '../support/engines/installEngines';
import { realEngines } from '../support/engines/realEngines';
import type { ModelScript } from '../support/modelServer/modelAnswer';
import { startModelServer, type ModelServer } from '../support/modelServer/modelServer';
import { startCli } from '../support/runCli';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  await server.close();
});

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'ignore' });
}

describe.skipIf(realEngines === null)('a model that edits code in a worktree', () => {
  it.each<RealEngineName>(['claude', 'codex', 'opencode'])('by %s leaves the project as it was', async (name) => {
    // Written from where the program runs, as models do.
    const edits: ModelScript = ({ turn }) => {
      const files = [
        { path: 'code.txt', content: 'edited\n' },
        { path: 'made/new.txt', content: 'new\n' },
      ];
      const input = files[turn];
      return { steps: input === undefined ? [{ say: 'All done.' }] : [{ call: 'write', input }] };
    };
    const of = await engineProject({ name, bin: realEngines ?? '', server, script: edits, isolation: 'worktree' });
    git(of.root, 'init', '--quiet', '--initial-branch', 'main');
    git(of.root, 'add', '--all');
    git(of.root, 'commit', '--quiet', '-m', 'first');
    const env = terminalEnv(of);
    const run = await startCli(of.root, ['start', 'health-check', '--wait', '--json'], { env }).ended;
    expect(JSON.parse(run.stdout)).toMatchObject({ state: 'completed', exit: { class: 'done', code: 0 } });
    const worktree = join(of.root, '.keysarium/worktrees', workerIdIn(server));
    expect(readFileSync(join(worktree, 'code.txt'), 'utf8').trim()).toBe('edited');
    expect(readFileSync(join(worktree, 'made/new.txt'), 'utf8').trim()).toBe('new');
    expect(existsSync(join(of.root, 'code.txt'))).toBe(false);
  });
});
