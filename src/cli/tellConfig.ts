import { plainLine } from '../core/presenter/plainText';
import type { ConfigDiagnostic } from '../core/protocol/config/workersConfig';
import type { CliContext } from './cliContext';

/** Names each fault of the configuration once on stderr, with its line, as compilers do. */
export function tellConfig(context: CliContext, diagnostics: readonly ConfigDiagnostic[]): void {
  for (const diagnostic of diagnostics) {
    context.err(configLine(diagnostic));
  }
}

/** A fault of the configuration on one line. */
export function configLine({ line, column, message }: ConfigDiagnostic): string {
  return `.vscode/workers.json:${line}:${column}: ${plainLine(message, 500)}`;
}
