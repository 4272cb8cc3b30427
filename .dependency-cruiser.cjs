// Which room may import which: one rule per sentence of ARCHITECTURE.md.
const core = '^src/core/';
const tests = '\\.test\\.ts$|/testing/';
const rooms = (names) => `^src/core/(${names.join('|')})/`;

function coreRoom(name, allowed) {
  return {
    name: `core-${name}`,
    severity: 'error',
    comment: `core/${name} may import only ${[name, ...allowed].join(', ')} of core`,
    from: { path: `^src/core/${name}/`, pathNot: tests },
    to: { path: core, pathNot: rooms([name, ...allowed]) },
  };
}

const sibling = ['base', 'protocol', 'system'];

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'vscode-only-in-extension',
      severity: 'error',
      comment: 'holds for types too',
      from: { pathNot: '^(src/extension|test/vscode)/' },
      to: { path: '^vscode$|node_modules/@types/vscode' },
    },
    coreRoom('base', []),
    coreRoom('protocol', ['base']),
    coreRoom('presenter', ['base', 'protocol']),
    coreRoom('system', ['base', 'protocol']),
    coreRoom('supervisor', sibling),
    coreRoom('readers', sibling),
    coreRoom('registry', sibling),
    coreRoom('engines', sibling),
    coreRoom('eventlog', sibling),
    coreRoom('mailbox', sibling),
    coreRoom('worktrees', sibling),
    coreRoom('host', [...sibling, 'supervisor', 'readers', 'registry', 'engines', 'eventlog', 'mailbox', 'worktrees']),
    {
      name: 'pure-rooms',
      severity: 'error',
      comment: 'base, protocol and presenter use nothing of Node',
      from: { path: rooms(['base', 'protocol', 'presenter']), pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'zod-only-in-protocol',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/core/protocol/' },
      to: { path: 'node_modules/zod/' },
    },
    {
      name: 'zod-mini-only',
      severity: 'error',
      comment: 'the full zod costs the bundle more than all of our own code',
      from: { path: '^src/' },
      to: { path: 'node_modules/zod/', pathNot: 'node_modules/zod/(v4/)?mini/' },
    },
    {
      name: 'small-processes-use-three-rooms',
      severity: 'error',
      comment: 'keeper and worker start often and live long: base, protocol and system only',
      from: { path: '^src/(agent|docker|keeper|launcher|opencodePlugin|worker)/', pathNot: tests },
      to: { path: core, pathNot: rooms(sibling) },
    },
    {
      name: 'engine-agent-uses-four-rooms',
      severity: 'error',
      comment: 'it is a small process too, and builds the commands of engines',
      from: { path: '^src/engineAgent/', pathNot: tests },
      to: { path: core, pathNot: rooms([...sibling, 'engines']) },
    },
    {
      name: 'small-processes-without-zod',
      severity: 'error',
      from: { path: '^src/(agent|docker|engineAgent|keeper|opencodePlugin|worker)/', pathNot: tests },
      to: { path: 'node_modules/zod/', reachable: true },
    },
    {
      name: 'surfaces-see-host-protocol-presenter',
      severity: 'error',
      from: { path: '^src/(extension|cli)/', pathNot: tests },
      to: { path: core, pathNot: rooms(['base', 'protocol', 'presenter', 'host']) },
    },
    {
      name: 'programs-are-siblings',
      severity: 'error',
      from: { path: '^src/(agent|cli|docker|extension|keeper|launcher|opencodePlugin|worker)/' },
      to: {
        path: '^src/(agent|cli|docker|engineAgent|extension|keeper|launcher|opencodePlugin|worker)/',
        pathNot: '^src/$1/',
      },
    },
    {
      name: 'engine-agent-is-an-agent',
      severity: 'error',
      comment: 'it connects by the agent runtime, and knows no other program',
      from: { path: '^src/engineAgent/' },
      to: { path: '^src/(cli|docker|extension|keeper|launcher|opencodePlugin|worker)/' },
    },
    { name: 'core-imports-no-program', severity: 'error', from: { path: core }, to: { path: '^src/(?!core/)' } },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: `^test/|${tests}` },
    },
    {
      name: 'no-unlisted-packages',
      severity: 'error',
      from: { path: '^(src|scripts|test)/', pathNot: '^test/fixtures/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'], pathNot: '^vscode$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|out|sample)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
