import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/runCli';
import { tempProject } from '../support/tempProject';

const theirs = '# The runtime of somebody else\n';

async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  return await tempProject({ '.keysarium.json': '{}', ...files });
}

describe('rollcall agent install', () => {
  it.each([
    ['powershell', ['agent-runtime.ps1']],
    ['node', ['agent-runtime.d.mts', 'agent-runtime.mjs']],
    ['python', ['agent_runtime.py']],
  ])(
    'puts the runtime for %s where the document expects it, and finds it there the next time',
    async (language, files) => {
      const root = await project();
      const first = await runCli(root, 'agent', 'install', language);
      const scripts = join(root, '.claude', 'scripts');
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(readdirSync(scripts).sort()).toEqual(files);
      expect(first.stdout).toContain(`Installed ${join(scripts, files[0] ?? '')}`);
      expect((await runCli(root, 'agent', 'install', language)).stdout).toContain('Up to date: ');
    },
  );

  it('renews an older one of ours', async () => {
    const root = await project({
      '.claude/scripts/agent-runtime.ps1': "# Rollcall's runtime for session agents, of old\n",
    });
    const { code, stdout } = await runCli(root, 'agent', 'install', 'powershell', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      schema: 1,
      language: 'powershell',
      files: [join(root, '.claude', 'scripts', 'agent-runtime.ps1')],
      kept: [],
      changed: true,
    });
  });

  it('leaves the runtime of others alone unless it is forced to, and keeps it then', async () => {
    const root = await project({ '.claude/scripts/agent-runtime.ps1': theirs });
    const path = join(root, '.claude', 'scripts', 'agent-runtime.ps1');
    const refused = await runCli(root, 'agent', 'install', 'powershell');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('is another runtime, and was left alone. Use --force to replace it');
    expect(readFileSync(path, 'utf8')).toBe(theirs);
    expect((await runCli(root, 'agent', 'install', 'powershell', '--force')).code).toBe(0);
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe(theirs);
    expect(readFileSync(path, 'utf8')).toContain('function Connect-ToWatchdog');
  });

  it('writes nothing through a link that leads out of the project', async () => {
    const root = await project();
    const outside = await tempProject();
    mkdirSync(join(root, '.claude'));
    symlinkSync(outside, join(root, '.claude', 'scripts'));
    const { code, stderr } = await runCli(root, 'agent', 'install', 'python');
    expect(code).toBe(1);
    expect(stderr).toContain('leads out of the project through a link');
    expect(readdirSync(outside)).toEqual([]);
  });

  it('gives Node agents types that a strict compiler takes', async () => {
    const root = await project();
    await runCli(root, 'agent', 'install', 'node');
    const types = readFileSync(join(root, '.claude', 'scripts', 'agent-runtime.d.mts'), 'utf8');
    expect(types).not.toContain('import ');
    writeFileSync(
      join(root, 'agent.mts'),
      `import { connectToWatchdog, type AgentMessage } from './.claude/scripts/agent-runtime.mjs';
       const agent = await connectToWatchdog({ agentName: 'developer' });
       export const stop: Promise<never> = agent.enterAgentLoop(async (message: AgentMessage) => {
         const id: string = await agent.sendWorkComplete({ taskId: String(message.payload['taskId']) });
         // @ts-expect-error a problem needs a description
         await agent.sendProblemReport({ taskId: id });
       });`,
    );
    expect(await typeErrors(join(root, 'agent.mts'))).toEqual([]);
  });
});

async function typeErrors(file: string): Promise<readonly string[]> {
  const { default: ts } = await import('typescript');
  const { NodeNext } = ts.ModuleKind;
  const options = { strict: true, noEmit: true, module: NodeNext, target: ts.ScriptTarget.ES2023, types: [] };
  const program = ts.createProgram([file], options);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
