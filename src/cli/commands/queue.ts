import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { queueJson, takenBackJson } from '../json/planJson';
import { formatJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { queueTable } from '../text/queueTable';
import { withHost } from '../withHost';

/** `rollcall queue`: the starts that wait for a free slot, oldest first. */
export async function queue(context: CliContext, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const snapshot = await host.look();
    context.out(options.json === true ? formatJson(queueJson(snapshot.queue)) : queueTable(snapshot));
    return 0;
  });
}

/** `rollcall queue cancel <id>`: the id may be a unique beginning. Exit code 1 when there is no such start. */
export async function cancelQueued(context: CliContext, id: string, options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const taken = await host.dequeue(id);
    if (!taken.ok) {
      return refuse(context, options, taken.error);
    }
    const { value: start } = taken;
    const text = `${start.type} (${start.id}) is not queued any more.`;
    context.out(options.json === true ? formatJson(takenBackJson(start)) : text);
    return 0;
  });
}
