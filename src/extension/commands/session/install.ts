import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type AgentLanguage, type InstalledRuntime, installAgentRuntime } from '../../../core/host/installAgentRuntime';
import { installClaudeCommands } from '../../../core/host/installClaudeCommands';
import type { Result } from '../../../core/base/result';
import { chooseRoot } from '../chooseRoot';
import type { Command } from '../registerCommand';

async function chooseLanguage(): Promise<AgentLanguage | undefined> {
  const { t } = vscode.l10n;
  const items: readonly (vscode.QuickPickItem & { readonly language: AgentLanguage })[] = [
    {
      language: 'powershell',
      label: 'PowerShell',
      description: 'agent-runtime.ps1',
      detail: t('Windows PowerShell 5.1, or PowerShell 7.4 and newer'),
    },
    {
      language: 'node',
      label: 'Node.js',
      description: 'agent-runtime.mjs',
      detail: t('Node.js 20 and newer, with types'),
    },
    {
      language: 'python',
      label: 'Python',
      description: 'agent_runtime.py',
      detail: t('Python 3.9 and newer, one file'),
    },
  ];
  const placeHolder = t('In which language are your agents written?');
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.language;
}

async function replacing(
  refused: string,
  install: (force: boolean) => Promise<Result<InstalledRuntime, string>>,
): Promise<Result<InstalledRuntime, string> | undefined> {
  const replace = vscode.l10n.t('Replace and Keep a Copy');
  const question = vscode.l10n.t('The runtime was not installed.');
  const choice = await vscode.window.showWarningMessage(question, { modal: true, detail: refused }, replace);
  return choice === replace ? await install(true) : undefined;
}

/** Opens what was installed when the person wants to see it; not waited for, because the message may stand for long. */
function tell(message: string, file: string | undefined): void {
  const open = vscode.l10n.t('Open');
  void vscode.window.showInformationMessage(message, ...(file === undefined ? [] : [open])).then((choice) => {
    if (choice === open && file !== undefined) {
      void vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
    }
  });
}

/** Puts the runtime for agents of one language into the project, or renews it. */
export const installRuntime: Command = async (surface) => {
  const host = await chooseRoot(surface, vscode.l10n.t('Into which folder?'));
  const language = host === undefined ? undefined : await chooseLanguage();
  if (host === undefined || language === undefined) {
    return undefined;
  }
  const { distDir } = surface;
  const install = async (force: boolean): Promise<Result<InstalledRuntime, string>> =>
    installAgentRuntime({ root: host.root, distDir, language, force });
  const first = await install(false);
  const installed = first.ok ? first : await replacing(first.error, install);
  if (installed?.ok === false) {
    return { code: 'failed', message: installed.error };
  }
  const [file] = installed?.value.files ?? [];
  if (file !== undefined) {
    tell(vscode.l10n.t('{0} is in .claude/scripts.', basename(file)), file);
  }
  return undefined;
};

/** Writes the project's slash commands for Claude Code, where there are none of their names. */
export const installCommands: Command = async (surface) => {
  const host = await chooseRoot(surface, vscode.l10n.t('Into which folder?'));
  if (host === undefined) {
    return undefined;
  }
  const installed = await installClaudeCommands({ root: host.root, distDir: surface.distDir });
  if (!installed.ok) {
    return { code: 'failed', message: installed.error };
  }
  const names = (files: readonly string[]): string => files.map((file) => `/${basename(file, '.md')}`).join(', ');
  const { written, present } = installed.value;
  const message =
    written.length === 0
      ? vscode.l10n.t('These commands were there already and were left alone: {0}.', names(present))
      : vscode.l10n.t('Claude Code now knows {0} in this project.', names(written));
  tell(message, written[0] ?? present[0]);
  return undefined;
};
