import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import { systemClock } from '../base/clock';
import { BuiltinEngine } from '../engines/builtin';
import { CommandEngine } from '../engines/command';
import { readEnginesSettings } from '../engines/engineSettings';
import type { EngineName } from '../protocol/config/configModel';
import { protocolTypes } from '../protocol/workers/protocolTypes';
import type { WorkerType } from '../protocol/workers/workerType';
import { EngineCatalog } from './engineCatalog';
import { reportEngines } from './reportEngines';
import { TypeCatalog } from './typeCatalog';

/** Programs that say their version, and whether somebody is logged in; each call leaves a line in `calls`. */
const loggedIn = '#!/bin/sh\necho "$0 $*" >>"$(dirname "$0")/calls"\necho 1.2.3\n';
const loggedOut = '#!/bin/sh\n[ "$1" = --version ] && echo 1.2.3 && exit 0\nexit 1\n';

const healthCheck = protocolTypes.find(({ name }) => name === 'health-check') as WorkerType;

interface Machine {
  readonly programs?: Readonly<Record<string, string>>;
  readonly project?: Readonly<Record<string, string>>;
  readonly settings?: unknown;
}

async function machine({ programs = {}, project = {}, settings }: Machine) {
  const [bin, root] = [await tempProject(programs), await tempProject(project)];
  await Promise.all(
    Object.keys(programs).map(async (name) => {
      await chmod(join(bin, name), 0o755);
    }),
  );
  const own = [new BuiltinEngine({ nodePath: 'node', workerScript: 'worker.js' }), new CommandEngine()];
  const clock = systemClock();
  const engines = new EngineCatalog({
    root,
    distDir: '/ext/dist',
    own,
    settings: () => readEnginesSettings(settings),
    clock,
  });
  const env = { PATH: [bin, '/usr/bin', '/bin'].join(delimiter), HOME: bin };
  const nameFor = async (changes: Partial<WorkerType> = {}): Promise<string> => {
    const engine = await engines.engineFor({ ...healthCheck, ...changes }, env);
    return engine.ok ? engine.value.name : engine.error;
  };
  return { bin, root, env, engines, nameFor };
}

describe('the engine of a type', () => {
  it('is the first that is installed and logged in, where any may do it', async () => {
    const { nameFor } = await machine({ programs: { claude: loggedOut, codex: loggedIn } });
    expect(await nameFor()).toBe('codex');
  });

  it('is our own where there is none, and none where only a model could do it', async () => {
    const { nameFor } = await machine({ programs: { claude: loggedOut } });
    expect(await nameFor()).toBe('builtin');
    expect(await nameFor({ source: 'workers.json', name: 'audit' })).toMatch(
      /^Worker type audit has a template, .*rollcall doctor/,
    );
  });

  it('is the one that the type names, or a refusal that says what to do', async () => {
    const { nameFor } = await machine({ programs: { claude: loggedOut, codex: loggedIn } });
    expect(await nameFor({ engine: 'codex' })).toBe('codex');
    expect(await nameFor({ engine: 'builtin' })).toBe('builtin');
    expect(await nameFor({ engine: 'claude' })).toBe('claude');
    expect(await nameFor({ engine: 'opencode' })).toMatch(/opencode is not installed\. Install it with: npm install/);
    expect(await nameFor({ engine: 'codex', template: null })).toMatch(/has no template/);
  });

  it('asks no program where our own engines do the work', async () => {
    const { nameFor, bin } = await machine({ programs: { claude: loggedIn } });
    expect(await nameFor({ engine: 'builtin' })).toBe('builtin');
    expect(await nameFor({ template: null, command: ['true'] })).toBe('command');
    expect(existsSync(join(bin, 'calls'))).toBe(false);
    expect(await nameFor()).toBe('claude');
    expect(existsSync(join(bin, 'calls'))).toBe(true);
  });

  it('is none by itself whose program runs files of the project unasked', async () => {
    const plugin = { '.opencode/plugin/x.js': '' };
    const programs = { opencode: loggedIn };
    const settings = { opencode: { program: null } };
    const login = { '.local/share/opencode/auth.json': '{"x":{}}' };
    const free = await machine({ programs: { ...programs, ...login }, settings });
    expect(await free.nameFor()).toBe('opencode');
    const bound = await machine({ programs: { ...programs, ...login }, project: plugin, settings });
    expect(await bound.nameFor()).toBe('builtin');
    expect(await bound.nameFor({ engine: 'opencode' })).toBe('opencode');
  });

  it('has the program of the person where they set one', async () => {
    const { bin } = await machine({ programs: { 'my-claude': loggedIn } });
    const { engines, env } = await machine({ settings: { claude: { program: join(bin, 'my-claude') } } });
    const engine = await engines.engineFor({ ...healthCheck, engine: 'claude' }, env);
    expect(engine.ok && engine.value.openCommandOf?.('s')).toEqual([join(bin, 'my-claude'), '--resume', 's']);
  });
});

it('the engine of a session agent is chosen alike, and must ask a model', async () => {
  const { engines, env, bin } = await machine({ programs: { claude: loggedOut, codex: loggedIn } });
  const find = async (engine: EngineName) => await engines.findingForAgent({ name: 'pm', engine }, env);
  expect(await find('auto')).toMatchObject({ ok: true, value: { name: 'codex', path: join(bin, 'codex') } });
  expect(await find('claude')).toMatchObject({ ok: true, value: { name: 'claude' } });
  const missing = await find('opencode');
  expect(missing.ok ? '' : missing.error).toMatch(
    /^Agent pm wants the engine opencode\. .* Install it with: npm install/,
  );
  const none = await find('builtin');
  expect(none.ok ? '' : none.error).toContain('needs a model, and builtin finds none');
  const bare = await machine({});
  const nobody = await bare.engines.findingForAgent({ name: 'pm', engine: 'auto' }, bare.env);
  expect(nobody.ok ? '' : nobody.error).toContain('rollcall doctor');
});

it('a report says of each engine which types would be started with it', async () => {
  const { root, engines, env } = await machine({ programs: { codex: loggedIn } });
  const types = new TypeCatalog({ root, ownTemplatesDir: root, trusted: true });
  const reports = await reportEngines({ engines, types, trusted: true }, env);
  expect(reports.map(({ name }) => name)).toEqual(['claude', 'codex', 'opencode', 'gemini', 'copilot']);
  const [claude, codex] = reports;
  expect(claude).toMatchObject({ path: null, types: [], installCommand: 'npm install -g @anthropic-ai/claude-code' });
  expect(codex?.types).toEqual(['consolidate', 'export-brain', 'health-check', 'pattern-analysis']);
});
