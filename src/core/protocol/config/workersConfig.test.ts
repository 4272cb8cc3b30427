import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { damaged } from '../../../../test/support/protocolArbitraries';
import { protocolTypes } from '../workers/protocolTypes';
import { configuredType } from './configuredType';
import { defaultConfig } from './configDefaults';
import { readWorkersConfig, type WorkersConfig } from './workersConfig';

const EXAMPLE = `{
  "version": 1,
  "maxConcurrent": 4,                       // for a registry that we create
  "defaults": { "engine": "auto", "isolation": "auto", "retry": { "automatic": "never", "max": 1 },
                "graceSeconds": 20, "limits": { "minutes": 30 }, "env": { "PACE": "600" } },
  "types": {
    "dependency-audit": { "description": "Weekly audit", "model": "haiku", "template": "lib/worker-templates/dependency-audit.md",
                          "mayWrite": ["reports/"], "schedule": "0 6 * * 1", "limits": { "costUsd": 2 } },
    /* a command */
    "nightly-tests":    { "description": "Run the tests", "engine": "command", "command": ["npm", "test"], "isolation": "container",
                          "image": "node:24", "env": { "CI": "1" }, "graceSeconds": 5 },
    "consolidate":      { "engine": "claude", "retry": { "max": 0 } },
  },
  "agents": {
    "pm":        { "engine": "claude", "prompt": "/coordinate", "start": "session" },
    "developer": { "command": ["pwsh", "-NoProfile", "-File", "agents/developer.ps1"], "restart": { "max": 3, "backoffSeconds": [5, 10] } },
  },
  "session": { "dir": ".claude/session", "mode": "sequential", "compatiblePipeNames": false },
  "triggers": { "consolidateAfterCases": 5, "healthCheckAfterBtoTest": false },
  "features": { "lateSeconds": 90, "taskHomes": ["~/.tasks"] },
}
`;

function configOf(text: string): WorkersConfig {
  return readWorkersConfig(text).config;
}

function faultsOf(text: string): readonly string[] {
  return readWorkersConfig(text).diagnostics.map(
    ({ line, column, message }) => `${String(line)}:${String(column)} ${message}`,
  );
}

describe('workers.json', () => {
  it('reads the example of the specification whole and without complaint', () => {
    const { config, diagnostics } = readWorkersConfig(EXAMPLE);
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      maxConcurrent: 4,
      types: [
        {
          name: 'dependency-audit',
          model: 'haiku',
          template: 'lib/worker-templates/dependency-audit.md',
          command: null,
          engine: 'auto',
          mayWrite: ['reports/'],
          schedule: '0 6 * * 1',
          limits: { minutes: 30, costUsd: 2 },
          env: { PACE: '600' },
          graceSeconds: 20,
          source: 'workers.json',
        },
        {
          name: 'nightly-tests',
          model: 'none',
          template: null,
          command: ['npm', 'test'],
          engine: 'command',
          env: { PACE: '600', CI: '1' },
          graceSeconds: 5,
          isolation: 'container',
          image: 'node:24',
          retry: { automatic: 'never', max: 1 },
        },
      ],
      overrides: [{ name: 'consolidate', engine: 'claude', retry: { automatic: 'never', max: 0 } }],
      agents: [
        { name: 'pm', engine: 'claude', prompt: '/coordinate', start: 'session', command: null },
        { name: 'developer', engine: 'command', start: 'demand', restart: { max: 3, backoffSeconds: [5, 10] } },
      ],
      session: { mode: 'sequential', compatiblePipeNames: false, maxIterations: null },
      triggers: { consolidateAfterCases: 5, healthCheckAfterBtoTest: false },
      features: { lateSeconds: 90, staleSeconds: null, taskHomes: ['~/.tasks'] },
    });
  });

  it('may be empty, or hold comments only', () => {
    for (const text of ['', '{}', ' // nothing yet\n', '\uFEFF{}']) {
      expect(readWorkersConfig(text)).toEqual({ config: defaultConfig, diagnostics: [] });
    }
  });

  it('lets a type of the protocol be run otherwise, but not be another type', () => {
    const { config, diagnostics } = readWorkersConfig(
      '{"defaults": {"env": {"A": "1"}}, "types": {"consolidate": {"model": "opus", "engine": "codex"}}}',
    );
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'types.consolidate.model cannot be changed: the protocol says what this type is',
    ]);
    expect(config.types).toEqual([]);
    const [consolidate, exportBrain] = protocolTypes.map((type) => configuredType(type, config));
    expect(consolidate).toMatchObject({ model: 'sonnet', engine: 'codex', env: { A: '1' } });
    expect(exportBrain).toMatchObject({ model: 'haiku', engine: 'auto', env: { A: '1' } });
  });

  it('names each fault with its place and lets the rest work', () => {
    const text = [
      '{',
      '  "maxConcurrent": 0,',
      '  "colour": "red",',
      '  "types": {',
      '    "no-words": { "command": ["a"] },',
      '    "as-text": { "description": "x", "command": "npm test" },',
      '    "nothing": { "description": "x" },',
      '    "typo": { "description": "x", "command": ["a"], "mayWrit": ["reports/"] },',
      '    "Bad Name": { "description": "x", "command": ["a"] },',
      '    "good": { "description": "x", "command": ["a"] }',
      '  },',
      '  "agents": { "idle": { "model": "haiku" }, "busy": { "command": ["b"] },',
      '    "QA": { "command": ["b"] }, "watchdog": { "command": ["b"] } },',
      '  "session": { "mode": "chaotic", "dir": "run" }',
      '}',
    ].join('\r\n');
    expect(faultsOf(text)).toEqual([
      '2:20 maxConcurrent must be 1 or more',
      '3:3 colour is no key that is known here; take it out',
      '5:5 types.no-words.description is missing or not text',
      '6:49 types.as-text.command must be a list of texts',
      '7:5 types.nothing needs either a template or a command',
      '8:53 types.typo.mayWrit is no key that is known here; take it out',
      '9:5 types.Bad Name must be named with small letters, digits and single dashes',
      '12:15 agents.idle needs a command, or an engine with a prompt',
      '13:5 agents.QA must be named with small letters, digits and -, beginning with a letter, at most 64 of them',
      '13:33 agents.watchdog is a name that means somebody else; take another one',
      '14:24 session.mode must be one of event-driven, sequential',
    ]);
    const config = configOf(text);
    expect(config.types.map(({ name }) => name)).toEqual(['typo', 'good']);
    expect(config.agents.map(({ name }) => name)).toEqual(['busy']);
    expect(config.session).toMatchObject({ dir: 'run', mode: 'event-driven' });
    expect(config.maxConcurrent).toBeNull();
  });

  it.each([
    ['../up.md', 'must be a path inside the project, written with /'],
    ['/etc/passwd', 'must be a path inside the project, written with /'],
    ['C:\\\\x.md', 'must be a path inside the project, written with /'],
    ['a//b', 'must be a path inside the project, written with /'],
    ['./', 'must be a path inside the project, written with /'],
    ['', 'must not be empty'],
  ])('refuses a template outside the project: %j', (template, reason) => {
    const [fault] = readWorkersConfig(`{"types": {"a": {"description": "x", "template": "${template}"}}}`).diagnostics;
    expect(fault?.message).toBe(`types.a.template ${reason}`);
  });

  it.each(['researches/', 'features/new', 'CLAUDE.md', '.claude', '.keysarium', '.keysarium/workers/x', 'Researches'])(
    'lets no type write to %s',
    (place) => {
      const text = JSON.stringify({ types: { a: { description: 'x', command: ['a'], mayWrite: [place] } } });
      expect(faultsOf(text)[0]).toContain('is off limits for workers');
      expect(configOf(text).types).toEqual([]);
    },
  );

  it('runs nothing with an engine that does not fit', () => {
    const type = (keys: object): string => JSON.stringify({ types: { a: { description: 'x', ...keys } } });
    expect(faultsOf(type({ template: 'a.md', engine: 'command' }))[0]).toContain('needs a command instead');
    expect(faultsOf(type({ command: ['a'], engine: 'claude' }))[0]).toContain('claude cannot run a command');
    expect(faultsOf(type({ command: ['a'], template: 'a.md' }))[0]).toContain('either a template or a command');
    expect(configOf(type({ command: ['a'], engine: 'auto' })).types[0]?.engine).toBe('command');
  });

  it('takes an engine beside the command of an agent for the calls of that agent', () => {
    const agent = (keys: object): string => JSON.stringify({ agents: { pm: keys } });
    expect(configOf(agent({ command: ['a'], engine: 'claude' })).agents[0]).toMatchObject({
      engine: 'command',
      callEngine: 'claude',
    });
    expect(configOf(agent({ command: ['a'] })).agents[0]).toMatchObject({ engine: 'command', callEngine: null });
    expect(configOf(agent({ command: ['a'], engine: 'command' })).agents[0]?.callEngine).toBeNull();
    expect(configOf(agent({ engine: 'codex' })).agents[0]).toMatchObject({ engine: 'codex', callEngine: 'codex' });
    expect(faultsOf(agent({ command: ['a'], engine: 'builtin' }))[0]).toContain('cannot be builtin beside a command');
  });

  it('lets nothing run in a container that lacks what a container needs', () => {
    const type = (keys: object): string => JSON.stringify({ types: { a: { description: 'x', ...keys } } });
    const contained = { isolation: 'container' };
    expect(faultsOf(type({ command: ['a'], ...contained }))[0]).toContain('types.a.isolation container needs an image');
    expect(faultsOf(type({ template: 'a.md', image: 'i', ...contained }))[0]).toContain('container needs a command');
    expect(configOf(type({ command: ['a'], ...contained })).types).toEqual([]);
    expect(faultsOf(type({ command: ['a'], image: 'i', ...contained }))).toEqual([]);
    const override = JSON.stringify({ types: { 'health-check': contained } });
    expect(faultsOf(override)[0]).toContain('types.health-check.isolation cannot be container');
    const agent = JSON.stringify({ agents: { pm: { command: ['a'], ...contained } } });
    expect(faultsOf(agent)[0]).toContain('agents.pm.isolation cannot be container');
  });

  it('has a bound for all logs together, and says where it is none', () => {
    expect(readWorkersConfig('{"limits": {"totalLogsMB": 0.5}}')).toMatchObject({
      config: { limits: { totalLogsMB: 0.5 } },
      diagnostics: [],
    });
    expect(readWorkersConfig('{}').config.limits.totalLogsMB).toBeNull();
    const { config, diagnostics } = readWorkersConfig(
      '{"limits": {"totalLogsMB": 0, "minutes": 5}, "maxConcurrent": 2}',
    );
    expect(diagnostics.map(({ path }) => path)).toEqual(['limits.totalLogsMB', 'limits.minutes']);
    expect(config).toMatchObject({ maxConcurrent: 2, limits: { totalLogsMB: null } });
  });

  it('reads nothing of another version', () => {
    expect(readWorkersConfig('{\n"version": 2, "maxConcurrent": 9}')).toEqual({
      config: defaultConfig,
      diagnostics: [
        { path: 'version', line: 2, column: 12, message: 'version must be 1; nothing else in this file was read' },
      ],
    });
  });

  it('still gives what stands before a cut', () => {
    const { config, diagnostics } = readWorkersConfig('{"maxConcurrent": 2,\n "types": {"a": {"descr');
    expect(config.maxConcurrent).toBe(2);
    expect(diagnostics.some(({ line, message }) => line === 2 && message.includes('not valid JSON'))).toBe(true);
  });

  it('never makes its reader throw, whatever stands in it', () => {
    fc.assert(
      fc.property(damaged(fc.constant(EXAMPLE)), (text) => {
        const { diagnostics } = readWorkersConfig(text);
        const lines = text.split(/\r\n|\n|\r/).length;
        expect(diagnostics.every(({ line, column }) => line >= 1 && line <= lines && column >= 1)).toBe(true);
      }),
      { numRuns: 1000 },
    );
    const section = fc.constantFrom('version', 'maxConcurrent', 'defaults', 'types', 'agents', 'session', 'features');
    const value = fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(fc.dictionary(section, value), (given) => {
        expect(readWorkersConfig(JSON.stringify(given)).config.types).toBeInstanceOf(Array);
      }),
    );
  });

  it('pollutes no prototype', () => {
    const text = '{"types": {"__proto__": {"description": "x", "command": ["a"]}}, "__proto__": {"maxConcurrent": 9}}';
    expect(configOf(text)).toEqual(defaultConfig);
  });

  it('is given up with a reason where only reading it would cost too much', () => {
    expect(faultsOf('['.repeat(200_000))).toEqual([
      '1:1 workers.json is nested deeper than 50 levels and was not read',
    ]);
    expect(faultsOf(' '.repeat(1024 * 1024 + 1))).toEqual(['1:1 workers.json is larger than 1 MiB and was not read']);
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`t${String(at)}`, 0]));
    expect(readWorkersConfig(JSON.stringify({ types: many, ...many })).diagnostics).toHaveLength(100);
  });
});
