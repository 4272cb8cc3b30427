import js from '@eslint/js';
import importX from 'eslint-plugin-import-x';
import { globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const tests = ['**/*.test.ts', '**/testing/**', 'test/**/*.ts'];

const vscodeImport = { name: 'vscode', message: 'Only src/extension may import vscode.' };
const processModules = ['node:child_process', 'child_process', 'node:cluster'].map((name) => ({
  name,
  message: 'Only core/system, the keeper, the engine agent, the keeper launcher and the CLI entry start processes.',
}));
const fileModules = ['node:fs', 'node:fs/promises', 'fs', 'fs/promises'].map((name) => ({
  name,
  message: 'This room is told about files by readers, registry or system: it opens none itself.',
}));
const worldGlobals = ['setTimeout', 'setInterval', 'setImmediate', 'performance'].map((name) => ({
  name,
  message: 'core gets the time from the injected Clock.',
}));
const worldProperties = [
  { object: 'process', property: 'env', message: 'core gets its environment from outside.' },
  { object: 'process', property: 'cwd', message: 'core gets its paths from outside.' },
  { object: 'process', property: 'exit', message: 'Set process.exitCode in a main module and let the process end.' },
  { object: 'Date', property: 'now', message: 'core gets the time from the injected Clock.' },
  { object: 'Math', property: 'random', message: 'core gets its randomness from outside.' },
];
const signalling = {
  object: 'process',
  property: 'kill',
  message: 'Only core/system signals processes, and by identity, never by a bare pid.',
};

const noTricks = [
  { selector: 'TSEnumDeclaration', message: 'Use a string-literal union.' },
  { selector: "TSModuleDeclaration[kind='namespace']", message: 'Use a module.' },
  {
    selector: "ImportSpecifier[imported.name='createRequire']",
    message: 'createRequire hides an import from the layer check.',
  },
  { selector: 'TSInterfaceDeclaration > Identifier[name=/^I[A-Z][a-z]/]', message: 'No I-prefix.' },
];
const noHiddenClock = {
  selector: ":matches(NewExpression[arguments.length=0], CallExpression)[callee.name='Date']",
  message: 'core gets the time from the injected Clock.',
};

/** no-restricted-imports of later blocks replaces that of earlier ones, so each block names all that it forbids. */
const forbidImports = (...paths) => ({ 'no-restricted-imports': ['error', { paths: paths.flat() }] });
const size = (lines, functionLines) => ({
  'max-lines': ['error', { max: lines, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['error', { max: functionLines, skipBlankLines: true, skipComments: true }],
  // A flat switch counts as one branch.
  complexity: ['error', { max: 12, variant: 'modified' }],
  'max-params': ['error', 4],
});

export default tseslint.config(
  globalIgnores(['dist/', 'out/', 'sample/', 'coverage/', 'test/fixtures/', 'media/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{mjs,cjs}'],
    extends: [js.configs.recommended],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'setTimeout',
          'clearTimeout',
          'fetch',
          'performance',
          'AbortSignal',
          'module',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { eqeqeq: 'error', curly: 'error', 'no-empty': ['error', { allowEmptyCatch: false }], ...size(400, 60) },
  },
  {
    files: ['**/*.{ts,mts}'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/promise-function-async': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      // Code points are the unit that we cut texts by.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
      '@typescript-eslint/no-shadow': 'error',
      'preserve-caught-error': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-console': 'error',
      eqeqeq: ['error', 'always'],
      curly: 'error',
      'import-x/no-default-export': 'error',
      'no-restricted-syntax': ['error', ...noTricks],
      ...forbidImports(vscodeImport),
      ...size(400, 60),
    },
  },
  {
    files: ['src/core/**/*.ts'],
    ignores: tests,
    rules: {
      '@typescript-eslint/strict-boolean-expressions': [
        'error',
        { allowNullableObject: true, allowNullableBoolean: true, allowString: false, allowNumber: false },
      ],
      ...forbidImports(vscodeImport, processModules, fileModules),
    },
  },
  {
    // system is the edge to the operating system; base/clock.ts is the one door to the real time.
    files: ['src/core/**/*.ts'],
    ignores: [...tests, 'src/core/system/**', 'src/core/base/clock.ts'],
    rules: {
      'no-restricted-globals': ['error', ...worldGlobals],
      'no-restricted-properties': ['error', ...worldProperties, signalling],
      'no-restricted-syntax': ['error', ...noTricks, noHiddenClock],
    },
  },
  {
    files: ['src/core/{supervisor,readers,registry,eventlog,mailbox,worktrees,host}/**/*.ts'],
    ignores: [...tests, 'src/core/supervisor/keeperLauncher.ts'],
    rules: forbidImports(vscodeImport, processModules),
  },
  {
    files: ['src/core/supervisor/keeperLauncher.ts', 'src/core/system/**/*.ts', 'src/{engineAgent,keeper}/**/*.ts'],
    ignores: tests,
    rules: forbidImports(vscodeImport),
  },
  {
    files: ['src/{worker,cli,docker,opencodePlugin}/**/*.ts'],
    ignores: tests,
    rules: { ...forbidImports(vscodeImport, processModules), 'no-restricted-properties': ['error', signalling] },
  },
  {
    files: ['src/extension/**/*.ts'],
    ignores: tests,
    rules: { ...forbidImports(processModules), 'no-restricted-properties': ['error', signalling] },
  },
  {
    // A describe block is one function; a test may build what the product may not.
    files: tests,
    rules: {
      ...size(600, 400),
      // Rows of it.each, and vitest's asymmetric matchers, which are typed any.
      'max-params': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
  { files: ['test/vscode/**/*.ts'], rules: { 'no-restricted-imports': 'off' } },
  { files: ['*.config.mts'], rules: { 'import-x/no-default-export': 'off' } },
);
