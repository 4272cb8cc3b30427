import * as vscode from 'vscode';

/** The part of the built-in git extension's API that is used here; it is another extension's, so it may be absent. */
interface GitApi {
  toGitUri(uri: vscode.Uri, ref: string): vscode.Uri;
  getRepository(uri: vscode.Uri): { show(ref: string, path: string): Promise<string> } | null;
}

interface GitExtension {
  getAPI(version: 1): GitApi;
}

/** The last committed version of a file as VS Code can show it; null without git, or when it was never committed. */
export async function committedVersion(file: vscode.Uri): Promise<vscode.Uri | null> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (extension === undefined) {
    return null;
  }
  try {
    const git = (await extension.activate()).getAPI(1);
    const repository = git.getRepository(file);
    await repository?.show('HEAD', file.fsPath);
    return repository === null ? null : git.toGitUri(file, 'HEAD');
  } catch {
    // Git is switched off, or the file is in no commit: then there is nothing to compare with.
    return null;
  }
}
