import { describe, expect, it } from 'vitest';
import { engineNames } from '../protocol/config/configModel';
import { isEngineStreamName } from '../protocol/engines/engineOrder';
import { engineStream } from '../protocol/engines/engineStreams';
import type { EngineCommand } from '../protocol/keeper/keeperSpec';
import type { WorkerType } from '../protocol/workers/workerType';
import type { EngineRequest } from './engine';
import type { EngineAdapter } from './engineAdapter';
import { engineAdapters } from './engineAdapters';
import { ModelEngine, modelFor, noEngineSettings } from './modelEngine';

const type: WorkerType = {
  name: 'health-check',
  description: 'Looks at the project',
  model: 'haiku',
  template: 'health-check.md',
  mayWrite: ['.keysarium/exports'],
  command: null,
  engine: 'auto',
  env: {},
  graceSeconds: null,
  source: 'protocol',
};
const root = '/home/me/my project';
const distDir = '/opt/ext #1/dist';
const request: EngineRequest = {
  type,
  workerId: 'wkr-20260301-143022-health-check',
  root,
  folder: `${root}/.keysarium/workers/wkr-20260301-143022-health-check`,
  prompt: 'Look; then `rm -rf $HOME` "quoted"\n',
  env: { PATH: '/bin', HOME: '/home/me' },
};

function adapterOf(name: string): EngineAdapter {
  const adapter = engineAdapters.find((candidate) => candidate.name === name);
  if (adapter === undefined) {
    throw new Error(`no adapter ${name}`);
  }
  return adapter;
}

function commandOf(name: string, changes: Partial<EngineRequest> = {}): EngineCommand {
  return new ModelEngine(adapterOf(name), { program: `/opt/${name}`, distDir }).commandOf({ ...request, ...changes });
}

describe.each(engineAdapters.map((adapter) => adapter.name))('the command of %s', (name) => {
  it('is the program that was found, in the project, with the prompt on stdin and in no argument', () => {
    const command = commandOf(name);
    expect(command.command).toBe(`/opt/${name}`);
    expect(command.cwd).toBe(root);
    expect(command.stdin).toContain('rm -rf $HOME');
    expect(command.args.join(' ')).not.toContain('rm -rf');
    expect(command.env).toMatchObject(request.env);
  });

  it('goes on with a session where it is told to', () => {
    expect(commandOf(name).args).not.toContain('session-1');
    expect(commandOf(name, { resume: 'session-1' }).args).toContain('session-1');
  });

  it('leaves out what the project brings along, except for those who load it', () => {
    expect(commandOf(name, { loadsProject: true })).not.toEqual(commandOf(name));
  });

  it('lets more tools run inside our sandbox than outside', () => {
    const [outside, inside] = [commandOf(name), commandOf(name, { isSandboxed: true })];
    expect(inside).not.toEqual(outside);
  });

  it('refuses a type without a template', () => {
    expect(() => commandOf(name, { prompt: null })).toThrow('has no template');
  });

  it('has an engine’s name that workers.json knows, and a stream that can be read', () => {
    expect(engineNames).toContain(name);
    expect(isEngineStreamName(name)).toBe(true);
    expect(engineStream(adapterOf(name).orderOf(request).stream)('')).toEqual([{ kind: 'unknown' }]);
  });
});

describe('the model of a type', () => {
  it('is the person’s word for it, else the engine’s, else as it stands', () => {
    const settings = { models: { haiku: 'gpt-5-mini' } };
    expect(modelFor('haiku', adapterOf('codex'), settings)).toBe('gpt-5-mini');
    expect(modelFor('sonnet', adapterOf('codex'), settings)).toBeNull();
    expect(modelFor('sonnet', adapterOf('claude'), noEngineSettings)).toBe('sonnet');
    expect(modelFor('gpt-5-codex', adapterOf('codex'), noEngineSettings)).toBe('gpt-5-codex');
    expect(modelFor('none', adapterOf('claude'), noEngineSettings)).toBeNull();
  });
});

describe('claude', () => {
  it('may edit below the worker’s folder and what its type names, and nothing else', () => {
    const { args } = commandOf('claude');
    const settings = JSON.parse(args[args.indexOf('--settings') + 1] ?? '') as { permissions: { allow: string[] } };
    expect(settings.permissions.allow.filter((rule) => !/^(?:Read|Glob|Grep)$/.test(rule))).toEqual([
      `Edit(/${request.folder}/**)`,
      `Edit(/${root}/.keysarium/exports/**)`,
    ]);
  });

  it('keeps its stdin for answers where somebody may be asked, and gets its prompt as a message then', () => {
    const { stdin, args } = commandOf('claude', { mayAsk: true });
    expect(JSON.parse(stdin ?? '')).toMatchObject({ type: 'user', message: { content: [{ text: request.prompt }] } });
    expect(args).toContain('--permission-prompt-tool');
    expect(adapterOf('claude').orderOf({ ...request, mayAsk: true }).control).toBe(true);
    expect(adapterOf('claude').orderOf(request).control).toBe(false);
  });
});

describe('opencode', () => {
  it('keeps the person’s configuration and adds what a run without a terminal needs', () => {
    const permission = { webfetch: 'deny', bash: 'ask' };
    const own = { model: 'mine/large', permission, share: 'auto', plugin: ['theirs', ['with', { options: 1 }]] };
    const { env } = commandOf('opencode', { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) } });
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toMatchObject({
      model: 'mine/large',
      share: 'disabled',
      permission: { webfetch: 'deny', bash: 'deny', task: 'deny' },
      plugin: [...own.plugin, 'file:///opt/ext%20%231/dist/rollcall-opencode.mjs'],
    });
  });
});

describe('what the person configured', () => {
  it('wins over our switches', () => {
    const { env } = commandOf('claude', { env: { CLAUDE_CODE_MAX_RETRIES: '9' } });
    expect(env['CLAUDE_CODE_MAX_RETRIES']).toBe('9');
  });

  it('stands before the prompt of codex', () => {
    const settings = { ...noEngineSettings, args: ['-c', 'x=1'] };
    const { args } = new ModelEngine(adapterOf('codex'), { program: '/opt/codex', distDir }, settings).commandOf(
      request,
    );
    expect(args.slice(-3)).toEqual(['-c', 'x=1', '-']);
  });
});
