import type { Refusal } from '../core/host/api';
import { plainLog } from '../core/presenter/plainText';
import type { CliContext, ExitCode, GlobalOptions } from './cliContext';
import { formatJson, refusalJson } from './json/resultJson';

/** Tells a refusal in the form that was asked for: JSON is a result, plain text a diagnostic. Gives the exit code. */
export function refuse(
  context: CliContext,
  options: GlobalOptions,
  refusal: Pick<Refusal, 'message'> & { readonly code: string },
): ExitCode {
  if (options.json === true) {
    context.out(formatJson(refusalJson(refusal)));
  } else {
    // It may quote what a file says.
    context.err(plainLog(refusal.message));
  }
  return 1;
}
