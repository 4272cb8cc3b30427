import type { HostApi } from '../core/host/api';
import type { WorkerSnapshot } from '../core/protocol/snapshot';
import type { CliContext, ExitCode, GlobalOptions } from './cliContext';
import { endedJson, formatJson } from './json/resultJson';
import { endText } from './text/endText';
import { untilEnd } from './untilEnd';

/** The options of a command whose effect can be waited for. */
export interface WaitOptions extends GlobalOptions {
  readonly wait?: true;
}

/** A request that was accepted, in both of its forms. */
export interface Accepted {
  readonly workerId: string;
  readonly message: string;
  readonly document: object;
  readonly options: WaitOptions;
  /** The exit code once the worker that was waited for has ended. */
  readonly exitCodeOf: (ended: WorkerSnapshot) => ExitCode;
}

/**
 * Tells that a request was accepted and, with `--wait`, how its worker ended. As text both are told as they happen; as
 * JSON there is exactly one document, the later of the two.
 */
export async function tellAccepted(context: CliContext, host: HostApi, accepted: Accepted): Promise<ExitCode> {
  const json = accepted.options.json === true;
  // Before the person is told anything: from then on Ctrl-C must end the waiting in words.
  const signal = accepted.options.wait === true ? context.interrupted() : null;
  if (!json) {
    context.out(accepted.message);
  }
  const { workerId } = accepted;
  const ended = signal === null ? null : await untilEnd(context, host, { workerId, signal });
  if (json) {
    context.out(formatJson(ended === null ? accepted.document : endedJson(ended)));
  } else if (ended !== null) {
    context.out(`\n${endText(ended, Date.now())}`);
  }
  if (ended === null) {
    return signal === null ? 0 : 130;
  }
  return accepted.exitCodeOf(ended);
}
