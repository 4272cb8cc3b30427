import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { installClaudeCommands } from './installClaudeCommands';

const distDir = fileURLToPath(new URL('../../../dist', import.meta.url));
const names = ['workers.md', 'ralph-coordinator-event.md', 'ralph-coordinator-single.md'];

describe('the commands for Claude Code', () => {
  const project = useTempFolder('project');
  const outside = useTempFolder('outside');

  it('are written where there are none, and call the command line with the slash command’s own words', async () => {
    const root = project.path;
    const installed = await installClaudeCommands({ root, distDir });
    const files = names.map((name) => join(root, '.claude', 'commands', name));
    expect(installed).toEqual({ ok: true, value: { written: files, present: [] } });
    expect(await readFile(files[0] ?? '', 'utf8')).toContain('rollcall $ARGUMENTS --surface slash');
    expect(await readFile(files[1] ?? '', 'utf8')).toContain('rollcall session start --mode event-driven');
    expect(await readFile(files[2] ?? '', 'utf8')).toContain('rollcall session start --mode sequential');
  });

  it('leave alone what the project has already', async () => {
    const root = project.path;
    const own = join(root, '.claude', 'commands', 'workers.md');
    await mkdir(join(root, '.claude', 'commands'), { recursive: true });
    await writeFile(own, 'mine');
    const installed = await installClaudeCommands({ root, distDir });
    expect(installed.ok && installed.value.present).toEqual([own]);
    expect(await readFile(own, 'utf8')).toBe('mine');
    expect(installed.ok && installed.value.written).toHaveLength(2);
  });

  it('never follow a link out of the project', async () => {
    const root = project.path;
    await symlink(outside.path, join(root, '.claude'));
    const installed = await installClaudeCommands({ root, distDir });
    expect(installed.ok ? '' : installed.error).toMatch(/leads out of the project.*try again\.$/);
  });
});
