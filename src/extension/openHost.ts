import type * as vscode from 'vscode';
import type { Logger } from '../core/base/logger';
import type { HostApi } from '../core/host/api';
import { createHost } from '../core/host/createHost';
import { readSettings } from './settings';

/** Opens the host of one root for this window; keeper and worker run from the extension's own `dist` folder. */
export async function openHost(
  context: vscode.ExtensionContext,
  root: string,
  { trusted, logger }: { readonly trusted: boolean; readonly logger: Logger },
): Promise<HostApi> {
  return await createHost({
    root,
    surface: 'vscode',
    distDir: context.asAbsolutePath('dist'),
    nodePath: readSettings().nodePath ?? process.execPath,
    env: process.env,
    engines: () => readSettings().engines,
    trusted,
    logger,
  });
}
