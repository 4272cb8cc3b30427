import { expect, it } from 'vitest';
import { allowListedEnv } from './cleanEnv';

it('lets through what programs need, and nothing of the editor, npm or Node', () => {
  const env = {
    PATH: '/bin',
    Path: 'C:\\bin',
    LC_ALL: 'C.UTF-8',
    SYSTEMROOT: 'C:\\Windows',
    VSCODE_IPC_HOOK_CLI: 'x',
    ELECTRON_RUN_AS_NODE: '1',
    NODE_OPTIONS: '--inspect',
    npm_config_registry: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    ROLLCALL_KEEPER: 'x',
    HOME: undefined,
  };
  expect(allowListedEnv(env)).toEqual({
    PATH: '/bin',
    Path: 'C:\\bin',
    LC_ALL: 'C.UTF-8',
    SYSTEMROOT: 'C:\\Windows',
  });
});

it("passes the person's own additions as they are, over the inherited ones", () => {
  expect(allowListedEnv({ PATH: '/bin' }, { PATH: '/mine', NODE_OPTIONS: '--x' })).toEqual({
    PATH: '/mine',
    NODE_OPTIONS: '--x',
  });
});
