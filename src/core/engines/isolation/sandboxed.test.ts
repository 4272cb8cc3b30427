import { describe, expect, it } from 'vitest';
import { sandboxBoxOf } from '../../system/sandboxBox';
import { sandboxed } from './sandboxed';

const box = sandboxBoxOf('/tmp/rollcall-1', '/p/.keysarium/workers/w');
const policy = {
  program: { nodePath: '/node', script: '/dist/srt.js' },
  box,
  root: '/p',
  folder: '/p/.keysarium/workers/w',
  mayWrite: ['/p/.keysarium/exports'],
  home: '/home/me',
  hosts: [],
};
const command = { command: 'npm', args: ['test', '$(whoami) "x"'], env: { A: '1' }, cwd: '/p', stdin: 'hi' };
const order = sandboxed(command, policy);
const settings = JSON.parse(order.place.settings) as {
  readonly network: { readonly allowedDomains: readonly string[] };
  readonly filesystem: { readonly allowWrite: readonly string[]; readonly denyWrite: readonly string[] };
};

describe('a sandboxed command', () => {
  it('hands the worker its arguments as arguments, never as part of a text that a shell reads', () => {
    const { args } = order.run;
    expect(order.run.command).toBe('/node');
    expect(args.slice(0, 4)).toEqual(['/dist/srt.js', '--settings', box.settingsFile, '--']);
    expect(args.slice(-3)).toEqual(['npm', 'test', '$(whoami) "x"']);
    expect(args.filter((arg) => arg.includes('whoami'))).toEqual(['$(whoami) "x"']);
  });

  it('keeps its environment and stdin, and gets a temporary folder of its own', () => {
    expect(order.run.stdin).toBe('hi');
    expect(order.run.env).toMatchObject({ A: '1', TMPDIR: box.serviceFolder, CLAUDE_CODE_TMPDIR: box.tempFolder });
  });

  it('may write its own folder, its temporary one and what its type may, and has no network', () => {
    const writable = [policy.folder, box.tempFolder, '/p/.keysarium/exports'];
    expect(settings.filesystem.allowWrite).toEqual(writable);
    expect(order.place.writable).toEqual(writable);
    expect(settings.network.allowedDomains).toEqual([]);
  });

  it('may not write the keeper’s files, what is protected, and what the sandbox would open unasked', () => {
    expect(settings.filesystem.denyWrite).toEqual(
      expect.arrayContaining([
        '/p/.keysarium/workers/w/keeper.json',
        '/p/.keysarium/workers/w/output.raw',
        '/p/.keysarium/workers/w/worker.log',
        '/p/researches',
        '/p/features',
        '/p/CLAUDE.md',
        '/p/.claude',
        '/home/me/.npm/_logs',
        '/tmp/claude',
      ]),
    );
  });

  it('that asks a model reaches its service and keeps its sessions, but not what its next start obeys', () => {
    const engine = {
      hosts: ['api.example.com'],
      writable: ['/home/me/.engine'],
      protects: ['/home/me/.engine/hooks.json'],
      scrub: { variable: 'ENV_SCRIPT', names: ['A_KEY', 'B_KEY'] },
    };
    const { run, place } = sandboxed(command, { ...policy, engine });
    const { network, filesystem } = JSON.parse(place.settings) as typeof settings;
    expect(network.allowedDomains).toEqual(['api.example.com']);
    expect(filesystem.allowWrite).toContain('/home/me/.engine');
    expect(place.writable).toContain('/home/me/.engine');
    expect(filesystem.denyWrite).toContain('/home/me/.engine/hooks.json');
    expect(run.args.join(' ')).toContain(`unset A_KEY B_KEY ${box.tempFolder}/.rollcall-scrub ENV_SCRIPT npm test`);
    expect(run.args).not.toContain('NO_PROXY=');
  });

  it('reaches a service on this machine through the sandbox’s proxy', () => {
    const { run } = sandboxed(command, { ...policy, hosts: ['127.0.0.1'] });
    expect(run.args.slice(-6, -3)).toEqual(['env', 'NO_PROXY=', 'no_proxy=']);
  });

  it('has its policy where it cannot write', () => {
    expect(order.place.writable.some((folder) => box.settingsFile.startsWith(`${folder}/`))).toBe(false);
  });

  it('is told to be Node inside Electron only where its own engine says so', () => {
    const scriptOf = (env: Record<string, string>): string => sandboxed({ ...command, env }, policy).run.args[6] ?? '';
    expect(scriptOf({})).toContain('unset ELECTRON_RUN_AS_NODE');
    expect(scriptOf({ ELECTRON_RUN_AS_NODE: '1' })).not.toContain('unset');
  });
});
