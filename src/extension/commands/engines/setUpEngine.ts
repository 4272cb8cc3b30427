import * as vscode from 'vscode';
import type { EngineReport, HostApi } from '../../../core/host/api';
import { engineRow, withoutEnginesText } from '../../../core/presenter/engineRow';
import type { Surface } from '../../surface';
import { themeIcon } from '../../views/themeIcon';
import type { Command } from '../registerCommand';

/** One thing that a person can do about an engine. */
interface Step extends vscode.QuickPickItem {
  readonly run: () => void | Promise<void>;
}

/** Types a command into a terminal and leaves the return key to the person. */
function typed(command: string): () => void {
  return () => {
    const terminal = vscode.window.createTerminal({ name: vscode.l10n.t('Set Up Engine') });
    terminal.show();
    terminal.sendText(command, false);
  };
}

async function openEngineSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', 'rollcall.engines.settings');
}

function stepsFor({ path, login, installCommand, loginCommand }: EngineReport): readonly Step[] {
  const { t } = vscode.l10n;
  const settings = {
    label: t('Set the path of its program, or its models'),
    iconPath: new vscode.ThemeIcon('gear'),
    run: openEngineSettings,
  };
  if (path === null) {
    return [
      {
        label: t('Install it'),
        iconPath: new vscode.ThemeIcon('cloud-download'),
        detail: installCommand,
        run: typed(installCommand),
      },
      settings,
    ];
  }
  const again = login === 'yes' ? t('Sign in as somebody else') : t('Sign in');
  return [
    { label: again, iconPath: new vscode.ThemeIcon('key'), detail: loginCommand, run: typed(loginCommand) },
    settings,
  ];
}

async function pickEngine(host: HostApi, name: unknown): Promise<EngineReport | undefined> {
  const { t } = vscode.l10n;
  const looking = vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: t('Looking for engines…') },
    async () => host.engines(),
  );
  if (typeof name === 'string') {
    return (await looking).find((report) => report.name === name);
  }
  const rows = looking.then((reports) =>
    reports.map((report) => {
      const { icon, label, description, detail } = engineRow(report, t);
      return { label, description, detail, iconPath: themeIcon(icon), report };
    }),
  );
  const choice = await vscode.window.showQuickPick(rows, {
    title: withoutEnginesText(t),
    placeHolder: t('Which engine shall be set up?'),
    matchOnDetail: true,
  });
  return choice?.report;
}

/** Says what there is of each engine, and leads to its installation, its login or its settings. */
export const setUpEngine: Command = async ({ fleet }: Surface, argument) => {
  const [host] = fleet.hosts;
  if (host === undefined) {
    return { code: 'not-found', message: vscode.l10n.t('Open a folder first.') };
  }
  const report = await pickEngine(host, argument);
  if (report === undefined) {
    return undefined;
  }
  const { label, description } = engineRow(report, vscode.l10n.t);
  const step = await vscode.window.showQuickPick(stepsFor(report), { title: label, placeHolder: description });
  await step?.run();
  return undefined;
};
