import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyProject, type ProjectCopy } from '../support/copyProject';
import { runTool } from '../support/vscode/runTool';
import { ServerHost } from '../support/vscode/serverHost';

let copy: ProjectCopy;
let vsix: string;
let host: ServerHost;
let installed: string;

beforeAll(async () => {
  copy = await copyProject();
  vsix = join(copy.folder, 'packed.vsix');
  await runTool(process.execPath, ['scripts/package.mjs', vsix], { cwd: copy.folder });
  host = await ServerHost.create({ target: 'current' });
  await host.installVsix(vsix);
  const name = readdirSync(host.extensionsFolder).find((entry) => entry.startsWith('rollcall.rollcall-'));
  installed = join(host.extensionsFolder, name ?? 'not installed');
});

afterAll(async () => {
  await host.stop();
  await copy.remove();
});

describe('the packed extension', () => {
  it('installs into a real VS Code', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { main: string };
    expect(existsSync(join(installed, manifest.main))).toBe(true);
  });

  it('holds what it needs to run and nothing else', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(installed.length + 1)
          .replaceAll('\\', '/'),
      );
    const allowed =
      /^(dist\/(extension|window|cli|cli-program|cron|docker|engine-agent|keeper|worker|srt)\.js|dist\/agent\.(mjs|d\.mts)|dist\/rollcall-opencode\.mjs|dist\/vendor\/(seccomp\/(x64|arm64)\/apply-seccomp|java-proxy-agent\/srt-proxy-agent\.jar|sandbox-runtime-license\.txt)|media\/agent-runtime\/agent(-runtime\.ps1|_runtime\.py)|media\/.+\.(svg|png|md|schema\.json)|media\/terminal\/rollcall(\.cmd)?|l10n\/bundle\.l10n\.[\w-]+\.json|package(\.nls(\.[\w-]+)?)?\.json|(readme|changelog)\.md|license\.txt|\.vsixmanifest)$/i;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    const programs = [
      'extension',
      'window',
      'cli',
      'cli-program',
      'cron',
      'docker',
      'engine-agent',
      'keeper',
      'worker',
      'srt',
    ].map((name) => `dist/${name}.js`);
    expect(files).toEqual(expect.arrayContaining([...programs, 'dist/rollcall-opencode.mjs']));
  });

  it('is small enough for a slow line', () => {
    expect(statSync(vsix).size).toBeLessThan(3_000_000);
  });

  it('brings a command line that runs outside the project', async () => {
    const said = await runTool(process.execPath, [join(installed, 'dist', 'cli.js'), '--help'], {
      cwd: host.workFolder,
    });
    expect(said).toContain('rollcall');
    const inTerminals = await runTool(join(installed, 'media', 'terminal', 'rollcall'), ['--help'], {
      cwd: host.workFolder,
    });
    expect(inTerminals).toBe(said);
  });
});
