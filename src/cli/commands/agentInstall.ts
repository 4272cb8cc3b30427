import { type AgentLanguage, installAgentRuntime } from '../../core/host/installAgentRuntime';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson } from '../json/resultJson';
import { SCHEMA } from '../json/schema';
import { projectRoot } from '../projectRoot';
import { refuse } from '../refuse';

export interface AgentInstallOptions extends GlobalOptions {
  readonly force?: true;
}

/** `rollcall agent install <language> [--force]`: puts our runtime where session agents look for it, or renews it. */
export async function agentInstall(
  context: CliContext,
  language: AgentLanguage,
  options: AgentInstallOptions,
): Promise<ExitCode> {
  const root = await projectRoot(options);
  const force = options.force === true;
  const installed = await installAgentRuntime({ root, distDir: __dirname, language, force });
  if (!installed.ok) {
    return refuse(context, options, { code: 'foreign-runtime', message: installed.error });
  }
  const { files, kept, changed } = installed.value;
  if (options.json === true) {
    context.out(formatJson({ schema: SCHEMA, language, files, kept, changed }));
    return 0;
  }
  kept.forEach((path) => {
    context.out(`Kept what was there as ${path}`);
  });
  files.forEach((path) => {
    context.out(changed ? `Installed ${path}` : `Up to date: ${path}`);
  });
  return 0;
}
