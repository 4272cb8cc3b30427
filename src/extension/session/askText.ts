import * as vscode from 'vscode';

/** What the person wrote, or how far they came before they went over to an editor. */
export interface Asked {
  readonly where: 'here' | 'editor';
  readonly text: string;
}

/** Asks for one line; a button takes what was typed into an editor. Undefined when the person changed their mind. */
export async function askText(
  texts: Pick<vscode.InputBox, 'title' | 'prompt' | 'placeholder'>,
): Promise<Asked | undefined> {
  const box = vscode.window.createInputBox();
  Object.assign(box, texts);
  box.ignoreFocusOut = true;
  const toEditor = { iconPath: new vscode.ThemeIcon('edit'), tooltip: vscode.l10n.t('Write in an Editor') };
  box.buttons = [toEditor];
  try {
    return await new Promise<Asked | undefined>((resolve) => {
      box.onDidAccept(() => {
        if (box.value.trim() !== '') {
          resolve({ where: 'here', text: box.value });
        }
      });
      box.onDidTriggerButton(() => {
        resolve({ where: 'editor', text: box.value });
      });
      box.onDidHide(() => {
        resolve(undefined);
      });
      box.show();
    });
  } finally {
    box.dispose();
  }
}
