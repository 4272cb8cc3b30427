import type { HostApi } from '../../core/host/api';
import type { AgentSnapshot } from '../../core/protocol/actors/sessionSnapshot';
import { plainLog } from '../../core/presenter/plainText';
import type { WorkerSnapshot } from '../../core/protocol/snapshot';
import { aborted } from '../aborted';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson, logJson } from '../json/resultJson';
import { logSize, readLog, type LogText } from '../logFile';
import { LogPrinter } from '../logPrinter';
import { refuse } from '../refuse';
import { untilEnd } from '../untilEnd';
import { withHost } from '../withHost';

export interface LogsOptions extends GlobalOptions {
  readonly follow?: true;
  /** Number of lines; the whole current log file without it. */
  readonly tail?: number;
}

/** `rollcall logs <id> [-f] [--tail N]`: the readable log; with `-f` until the worker has ended or Ctrl-C. */
export async function logs(context: CliContext, worker: string, options: LogsOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    await host.look();
    const found = await host.find(worker);
    if (!found.ok) {
      const agent = host.getSnapshot().session?.agents.find(({ name }) => name === worker);
      return agent === undefined
        ? refuse(context, options, found.error)
        : await agentLogs(context, host, { agent, options });
    }
    const log = await readLog(found.value.logFile, options.tail ?? null);
    return options.follow === true
      ? await follow(context, host, { worker: found.value, skipBytes: log?.offset ?? 0, options })
      : printLog(context, { id: found.value.workerId, log, options });
  });
}

interface PrintRequest {
  /** Of a worker, or the name of a session agent. */
  readonly id: string;
  readonly log: LogText | null;
  readonly options: LogsOptions;
}

/** The log of a session agent; with `-f` until Ctrl-C, because it may be started again. */
async function agentLogs(
  context: CliContext,
  host: HostApi,
  { agent, options }: { readonly agent: AgentSnapshot; readonly options: LogsOptions },
): Promise<ExitCode> {
  const log = await readLog(agent.logFile, options.tail ?? null);
  if (options.follow !== true) {
    return printLog(context, { id: agent.name, log, options });
  }
  const signal = context.interrupted();
  const json = options.json === true;
  const printer = new LogPrinter(context, { workerId: agent.name, json, skipBytes: log?.offset ?? 0 });
  const following = host.followLog(agent.name, Number.MAX_SAFE_INTEGER, (chunk) => {
    printer.take(chunk);
  });
  await aborted(signal);
  following.dispose();
  return 130;
}

function printLog(context: CliContext, { id, log, options }: PrintRequest): ExitCode {
  if (log === null) {
    const message = `${id} has no log: it has written nothing yet, or another program started it.`;
    return refuse(context, options, { code: 'not-found', message });
  }
  const text = plainLog(log.text);
  if (options.json === true) {
    context.out(formatJson(logJson(id, text)));
  } else {
    context.outRaw(text);
  }
  return 0;
}

interface FollowRequest {
  readonly worker: WorkerSnapshot;
  /** Where the asked-for lines begin in the log file. */
  readonly skipBytes: number;
  readonly options: LogsOptions;
}

async function follow(context: CliContext, host: HostApi, request: FollowRequest): Promise<ExitCode> {
  const { workerId, logFile } = request.worker;
  const printer = new LogPrinter(context, {
    workerId,
    json: request.options.json === true,
    skipBytes: request.skipBytes,
  });
  const signal = context.interrupted();
  // From the file's begin, so that the printer knows its place in the file to the byte.
  const following = host.followLog(workerId, Number.MAX_SAFE_INTEGER, (chunk) => {
    printer.take(chunk);
  });
  try {
    const ended = await untilEnd(context, host, { workerId, signal });
    if (ended === null) {
      return 130;
    }
    // The keeper completes the log before it records the exit, so the file does not grow any more.
    await printer.reached(await logSize(logFile));
    printer.end();
    return 0;
  } finally {
    following.dispose();
  }
}
