import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containerFacts, readContainerFacts } from './containerFacts';

const recorded = fileURLToPath(
  new URL('../../../../test/fixtures/features/11-container-workers/docker/inspect.json', import.meta.url),
);
const inspected = JSON.parse(readFileSync(recorded, 'utf8')) as readonly Record<string, unknown>[];

/** A container as an engine shows it, with some of it replaced. */
function shown(change: Record<string, unknown> = {}): unknown {
  return {
    Id: 'abc',
    Name: '/zerg-worker-7',
    State: { Status: 'running', ExitCode: 0, OOMKilled: false },
    Config: { Env: ['ANTHROPIC_API_KEY=sk-secret', 'ZERG_FEATURE=user-auth', 'ZERG_WORKER_ID=7'] },
    Mounts: [{ Type: 'bind', Source: '/p/.zerg-worktrees/user-auth/worker-7', Destination: '/workspace' }],
    ...change,
  };
}

describe('what is kept of a container', () => {
  it('is whose it is and how it is, as in the recorded run', () => {
    expect(inspected.map(containerFacts)).toMatchObject([
      { feature: 'user-auth', worker: '0', state: 'exited', exitCode: 137, oomKilled: true, unhealthy: false },
      { feature: 'user-auth', worker: '1', state: 'running', exitCode: null, unhealthy: false },
      { feature: 'user-auth', worker: '2', state: 'running', unhealthy: true },
      { feature: 'search', worker: '3', workspace: '/home/dev/other/.zerg-worktrees/search/worker-3' },
    ]);
  });

  it('is nothing else of its environment, whatever stands there', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 12 })), (secrets) => {
        const Env = ['ZERG_FEATURE=user-auth', ...secrets.map((secret, at) => `KEY_${at}=${secret}`)];
        expect(containerFacts(shown({ Config: { Env } }))).toEqual(
          containerFacts(shown({ Config: { Env: ['ZERG_FEATURE=user-auth'] } })),
        );
      }),
    );
  });

  it.each([
    ['of another name', { Name: '/my-zerg-worker-7' }],
    ['without a feature', { Config: { Env: ['ZERG_WORKER_ID=7'] } }],
    ['with a volume as its workspace', { Mounts: [{ Type: 'volume', Source: '/v', Destination: '/workspace' }] }],
    ['bound elsewhere', { Mounts: [{ Type: 'bind', Source: '/p', Destination: '/workspace/.zerg' }] }],
  ])('is nothing of one %s', (_what, change) => {
    expect(containerFacts(shown(change))).toBeNull();
  });

  it('names its worker by the name of the container where its environment does not', () => {
    expect(containerFacts(shown({ Config: { Env: ['ZERG_FEATURE=user-auth'] } }))?.worker).toBe('7');
  });

  it.each(['paused', 'restarting', 'created', 'removing', ''])('is no end while its state is %j', (Status) => {
    expect(containerFacts(shown({ State: { Status, ExitCode: 1 } }))).toMatchObject({ state: 'other', exitCode: null });
  });

  it('comes of any answer of an engine without an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        containerFacts(value);
        readContainerFacts(value);
        containerFacts(shown({ State: value, Config: value, Mounts: value }));
      }),
    );
  });
});
