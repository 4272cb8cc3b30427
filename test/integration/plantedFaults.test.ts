import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyProject, type ProjectCopy } from '../support/copyProject';

/** New files with a fault each, by path. The words `planted` in them is how the tests find them in what a tool says. */
const plantedFiles: Readonly<Record<string, string>> = {
  'src/core/base/plantedVscode.ts': "import type { Uri } from 'vscode';\nexport type PlantedUri = Uri;\n",
  'src/core/base/plantedOne.ts': "import { two } from './plantedTwo';\nexport const one = (): number => two();\n",
  'src/core/base/plantedTwo.ts': "import { one } from './plantedOne';\nexport const two = (): number => one();\n",
  'src/core/supervisor/plantedSibling.ts': "export * from '../registry/paths';\n",
  'src/core/protocol/plantedNode.ts': "export { sep } from 'node:path';\n",
  'src/keeper/plantedZod.ts':
    "import { z } from 'zod/mini';\nexport const planted = z.string();\nexport const plantedUnused = 1;\n",
  'src/cli/plantedInside.ts': "export * from '../core/registry/paths';\n",
  'src/worker/plantedProgram.ts': "export * from '../cli/program';\n",
  'src/core/base/plantedWorld.ts': [
    'export const plantedNow = (): number => Date.now();',
    'export const plantedDate = (): Date => new Date();',
    'export const plantedLuck = (): number => Math.random();',
    'export const plantedTimer = (): unknown => setTimeout(() => undefined, 1);',
    'export const plantedHome = (): unknown => process.env;',
    'export const plantedEnd = (pid: number): boolean => process.kill(pid);',
    '',
  ].join('\n'),
  'src/core/supervisor/plantedSpawn.ts': "export { spawn } from 'node:child_process';\n",
  'src/core/base/plantedStyle.ts': [
    'enum PlantedEnum {',
    '  one,',
    '}',
    'export default function planted(value: string | undefined): unknown {',
    '  if (value) {',
    '    return value!.length == 1;',
    '  }',
    '  try {',
    '    return PlantedEnum.one;',
    '  } catch {}',
    '  return undefined;',
    '}',
    'export const plantedPromise = (): void => {',
    '  Promise.resolve(1);',
    '};',
    '',
  ].join('\n'),
  'src/core/base/plantedType.ts': "export const plantedType: number = 'text';\n",
  'src/core/base/plantedFormat.ts': 'export   const plantedFormat = "x"\n',
};

let copy: ProjectCopy;
let report: Map<string, string>;

beforeAll(async () => {
  copy = await copyProject();
  leaveOutTests();
  for (const [path, content] of Object.entries(plantedFiles)) {
    mkdirSync(dirname(join(copy.folder, path)), { recursive: true });
    writeFileSync(join(copy.folder, path), content);
  }
  plantInManifest();
  plantInBundles();
  report = await failedSteps(copy.folder);
}, 900_000);

afterAll(async () => {
  await copy.remove();
});

describe('a planted fault is found and named', () => {
  it.each([
    ['vscode-only-in-extension', 'src/core/base/plantedVscode.ts'],
    ['no-cycles', 'src/core/base/plantedOne.ts'],
    ['core-supervisor', 'src/core/supervisor/plantedSibling.ts'],
    ['pure-rooms', 'src/core/protocol/plantedNode.ts'],
    ['zod-only-in-protocol', 'src/keeper/plantedZod.ts'],
    ['surfaces-see-host-protocol-presenter', 'src/cli/plantedInside.ts'],
    ['programs-are-siblings', 'src/worker/plantedProgram.ts'],
  ])('by the layer rule %s', (rule, file) => {
    expect(report.get('layers')).toContain(`${rule}: ${file} →`);
  });

  it.each([
    ['no-restricted-properties', 'plantedWorld.ts', 'Clock'],
    ['no-restricted-properties', 'plantedWorld.ts', 'randomness'],
    ['no-restricted-properties', 'plantedWorld.ts', 'environment'],
    ['no-restricted-properties', 'plantedWorld.ts', 'by identity'],
    ['no-restricted-globals', 'plantedWorld.ts', 'setTimeout'],
    ['no-restricted-syntax', 'plantedWorld.ts', 'Clock'],
    ['no-restricted-imports', 'plantedSpawn.ts', 'start processes'],
    ['no-restricted-syntax', 'plantedStyle.ts', 'string-literal union'],
    ['import-x/no-default-export', 'plantedStyle.ts', ''],
    ['@typescript-eslint/strict-boolean-expressions', 'plantedStyle.ts', ''],
    ['@typescript-eslint/no-non-null-assertion', 'plantedStyle.ts', ''],
    ['@typescript-eslint/no-floating-promises', 'plantedStyle.ts', ''],
    ['no-empty', 'plantedStyle.ts', ''],
    ['eqeqeq', 'plantedStyle.ts', ''],
  ])('by the lint rule %s in %s (%s)', (rule, file, words) => {
    const lines = sectionOf(report.get('lint') ?? '', file);
    expect(lines.some((line) => line.endsWith(` ${rule}`) && line.includes(words))).toBe(true);
  });

  it('by the type check', () => {
    expect(report.get('types')).toMatch(/plantedType\.ts\(1,14\): error TS2322/);
  });

  it('by the formatter', () => {
    expect(report.get('format')).toContain('src/core/base/plantedFormat.ts format');
  });

  it('by the search for dead code', () => {
    const found = report.get('dead-code') ?? '';
    expect(found).toContain('src/core/base/plantedFormat.ts');
    expect(found).toMatch(/planted-package +package\.json/);
    expect(found).toMatch(/plantedUnused +src\/keeper\/plantedZod\.ts/);
  });

  it.each([
    'package.json contributes rollcall.plantedCommand, but nothing in src/extension names it',
    'src/extension/planted.ts names rollcall.plantedCode, but package.json does not contribute it',
    'package.json contributes the setting rollcall.plantedSetting, but nothing in src/extension reads it',
    'package.json asks for the context key rollcall:plantedKey, but nothing in src/extension sets it',
    'src/extension/planted.ts names the context key rollcall:plantedCodeKey, but no condition in package.json asks for it',
    'package.nls.json has no text for "plantedText", which package.json asks for',
    'has no text for "Planted text", which src/extension asks for',
  ])('by the comparison of manifest and code: %s', (sentence) => {
    expect(report.get('manifest')).toContain(sentence);
  });

  it('by the limits of the bundles', () => {
    expect(report.get('bundles')).toMatch(/keeper\.js must not contain \S*node_modules\/zod\//);
    expect(report.get('bundles')).toMatch(/worker\.js has \d+ bytes, its limit is \d+/);
  });
});

interface Manifest {
  devDependencies: Record<string, string>;
  contributes: {
    commands: unknown[];
    configuration: { properties: Record<string, unknown> } | { properties: Record<string, unknown> }[];
  };
}

/** What is planted is in the product: without its tests the steps take half the time. */
function leaveOutTests(): void {
  const folders = ['integration', 'ui', 'vscode'].map((name) => join(copy.folder, 'test', name));
  const files = readdirSync(join(copy.folder, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of [...folders, ...files]) {
    rmSync(path, { recursive: true, force: true });
  }
}

function plantInManifest(): void {
  const path = join(copy.folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const enablement = 'rollcall:plantedKey';
  manifest.contributes.commands.push({ command: 'rollcall.plantedCommand', title: '%plantedText%', enablement });
  const [settings] = [manifest.contributes.configuration].flat();
  if (settings === undefined) {
    throw new Error('package.json contributes no settings');
  }
  settings.properties['rollcall.plantedSetting'] = { type: 'string' };
  manifest.devDependencies['planted-package'] = '1.0.0';
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
  const code = [
    "import { l10n } from 'vscode';",
    "export const planted = ['rollcall.plantedCode', 'rollcall:plantedCodeKey', l10n.t('Planted text')];",
    '',
  ].join('\n');
  writeFileSync(join(copy.folder, 'src/extension/planted.ts'), code);
}

function plantInBundles(): void {
  append('src/keeper/main.ts', "\nimport { planted } from './plantedZod';\nprocess.title = String(planted);\n");
  append('src/worker/main.ts', `\nexport const plantedBallast = '${'ballast '.repeat(25_000)}';\n`);
}

function append(path: string, content: string): void {
  const file = join(copy.folder, path);
  if (!existsSync(file)) {
    throw new Error(`${path} is missing`);
  }
  writeFileSync(file, `${readFileSync(file, 'utf8')}${content}`);
}

/** Runs every step in `folder` and resolves with what each that failed printed. */
async function failedSteps(folder: string): Promise<Map<string, string>> {
  const child = spawn(process.execPath, ['scripts/check.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const sections = output.split(/^(?=ok {5}|FAILED )/m);
  return new Map(
    sections
      .filter((section) => section.startsWith('FAILED '))
      .map((section) => [/^FAILED (\S+)/.exec(section)?.[1] ?? '', section]),
  );
}

/** The lines that eslint printed about the file with this name. */
function sectionOf(output: string, file: string): string[] {
  const blocks = output.split(/\n\s*\n/);
  return (blocks.find((block) => block.includes(`/${file}\n`)) ?? '').split('\n').map((line) => line.trimEnd());
}
