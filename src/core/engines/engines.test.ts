import { describe, expect, it } from 'vitest';
import type { WorkerType } from '../protocol/workers/workerType';
import { BuiltinEngine } from './builtin';
import { CommandEngine } from './command';
import { claude } from './claude';
import type { Engine, EngineRequest } from './engine';
import { selectEngine } from './selectEngine';

const builtin = new BuiltinEngine({ nodePath: '/opt/code', workerScript: '/ext/dist/worker.js' });
const command = new CommandEngine();

function typeOf(changes: Partial<WorkerType>): WorkerType {
  return {
    name: 'health-check',
    description: 'Looks at the project',
    model: 'haiku',
    template: null,
    mayWrite: [],
    command: null,
    engine: 'auto',
    env: {},
    graceSeconds: null,
    source: 'workers.json',
    ...changes,
  };
}

function requestOf(type: WorkerType): EngineRequest {
  const workerId = 'wkr-20260301-143022-health-check';
  const root = '/home/me/my project';
  const folder = `${root}/.keysarium/workers/${workerId}`;
  return {
    type,
    workerId,
    root,
    folder,
    prompt: 'never used here',
    env: { PATH: '/bin', ROLLCALL_WORKER_ID: 'forged' },
  };
}

describe('the builtin engine', () => {
  it('runs our worker script as plain Node, with the worker spelled out in its arguments', () => {
    const request = requestOf(typeOf({}));
    expect(builtin.commandOf(request)).toEqual({
      command: '/opt/code',
      args: [
        '/ext/dist/worker.js',
        '--type',
        'health-check',
        '--id',
        request.workerId,
        '--root',
        request.root,
        '--folder',
        request.folder,
      ],
      env: { ...request.env, ELECTRON_RUN_AS_NODE: '1' },
      cwd: request.root,
      stdin: null,
    });
  });
});

describe('the command engine', () => {
  it('keeps every argument as one argument, whatever a shell would make of it', () => {
    const vector = ['npm', 'run', 'a b', '$(rm -rf x)', '; exit'];
    const built = command.commandOf(requestOf(typeOf({ command: vector })));
    expect([built.command, ...built.args]).toEqual(vector);
  });

  it('tells the program where it works, and lets no inherited value say otherwise', () => {
    const request = requestOf(typeOf({ command: ['node'] }));
    const built = command.commandOf(request);
    expect(built.env).toEqual({
      PATH: '/bin',
      ROLLCALL_WORKER_ID: request.workerId,
      ROLLCALL_WORKER_DIR: request.folder,
      ROLLCALL_OUTPUT_DIR: `${request.folder}/output`,
      ROLLCALL_STOP_FLAG: `${request.folder}/stop-requested`,
    });
    expect(built.cwd).toBe(request.root);
  });

  it('refuses a type without a command', () => {
    expect(() => command.commandOf(requestOf(typeOf({})))).toThrow('has no command');
  });
});

describe('choosing an engine', () => {
  const engines = [builtin, command];
  const nameOf = (type: WorkerType): string => {
    const chosen = selectEngine(type, engines);
    return chosen.ok ? chosen.value.name : chosen.error;
  };

  it('takes the command of an automatic type, else the builtin engine', () => {
    expect(nameOf(typeOf({ command: ['npm', 'test'] }))).toBe('command');
    expect(nameOf(typeOf({ command: null }))).toBe('builtin');
    expect(nameOf(typeOf({ command: [] }))).toBe('builtin');
  });

  it('obeys a type that names its engine', () => {
    expect(nameOf(typeOf({ engine: 'builtin', command: ['npm'] }))).toBe('builtin');
  });

  it('takes the first engine that asks a model for a type with a template, and none that only a name reaches', () => {
    const order = claude.orderOf(requestOf(typeOf({})));
    const model = (name: string): Engine => ({
      name,
      graceMs: 1,
      commandOf: (request) => builtin.commandOf(request),
      orderOf: () => order,
    });
    const withModels = [builtin, command, model('codex'), model('claude')];
    const nameWith = (type: WorkerType, named: readonly Engine[] = []): string => {
      const chosen = selectEngine(type, [...withModels], named);
      return chosen.ok ? chosen.value.name : chosen.error;
    };
    expect(nameWith(typeOf({ template: 'health-check.md' }))).toBe('codex');
    expect(nameWith(typeOf({ template: null }))).toBe('builtin');
    expect(nameWith(typeOf({ template: 'x.md', command: ['npm'] }))).toBe('command');
    expect(nameWith(typeOf({ template: 'x.md', engine: 'builtin' }))).toBe('builtin');
    expect(nameWith(typeOf({ engine: 'gemini' }), [model('gemini')])).toBe('gemini');
  });

  it('says what is wrong when the named engine cannot serve', () => {
    expect(nameOf(typeOf({ engine: 'command' }))).toContain('Add "command"');
    expect(nameOf(typeOf({ engine: 'claude' }))).toContain('Choose one of: builtin, command');
  });
});
