import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/tempProject';
import { systemClock } from '../base/clock';
import { BuiltinEngine } from '../engines/builtin';
import { readEnginesSettings, type EnginesSettings } from '../engines/engineSettings';
import { EngineCatalog } from './engineCatalog';
import { planStart } from './startWorker';
import { TypeCatalog } from './typeCatalog';

const ownTemplatesDir = fileURLToPath(new URL('../../../media/worker-templates', import.meta.url));

async function plan(root: string, type: string, ours = ownTemplatesDir) {
  const own = [new BuiltinEngine({ nodePath: 'node', workerScript: 'worker.js' })];
  const settings = (): EnginesSettings => readEnginesSettings(undefined);
  const engines = new EngineCatalog({ root, distDir: '/ext/dist', own, settings, clock: systemClock() });
  const types = new TypeCatalog({ root, ownTemplatesDir: ours, trusted: true });
  return planStart(
    { type, requestedBy: 'cli' },
    { root, ownTemplatesDir: ours, trusted: true, refused: null, types, engines },
    { PATH: '/usr/bin:/bin' },
  );
}

async function templateOf(root: string, type: string): Promise<string> {
  const planned = await plan(root, type);
  return planned.ok ? (planned.value.template ?? '') : planned.error.message;
}

describe('the template of pattern-analysis', () => {
  it('is that of consolidate, completed by an addendum of its own, both ours by default', async () => {
    const root = await tempProject();
    const consolidate = await templateOf(root, 'consolidate');
    const whole = await templateOf(root, 'pattern-analysis');
    expect(whole.startsWith(consolidate.trimEnd())).toBe(true);
    expect(whole.slice(consolidate.trimEnd().length)).toMatch(/^\n\n## Addition for pattern-analysis\n/);
    expect(consolidate).not.toContain('.keysarium/memory');
  });

  it.each([
    ['lib/worker-templates/consolidate.md', /^Mine\.\n\n## Addition for pattern-analysis/],
    ['lib/worker-templates/pattern-analysis.md', /^# Consolidate[^]*\n\nMine\.\n$/],
    ['.claude/lib/worker-templates/pattern-analysis.md', /^# Consolidate[^]*\n\nMine\.\n$/],
  ])('lets a project replace %s alone', async (file, expected) => {
    expect(await templateOf(await tempProject({ [file]: 'Mine.\n' }), 'pattern-analysis')).toMatch(expected);
  });

  it('is refused when the addendum is nowhere, and says where to put it', async () => {
    const ours = await tempProject({ 'consolidate.md': 'Shared.' });
    expect(await plan(await tempProject(), 'pattern-analysis', ours)).toMatchObject({
      ok: false,
      error: {
        code: 'missing-template',
        message: expect.stringContaining('Create lib/worker-templates/pattern-analysis.md') as string,
      },
    });
  });

  it('is refused when the addendum leads out of the project', async () => {
    const root = await tempProject({ 'lib/worker-templates/x': '' });
    await symlink('/etc/hostname', join(root, 'lib/worker-templates/pattern-analysis.md'));
    expect(await plan(root, 'pattern-analysis')).toMatchObject({ ok: false, error: { code: 'missing-template' } });
  });
});
