import { plainLine } from '../../core/presenter/plainText';
import type { TaskStatusWord } from '../../core/protocol/features/writing/writeTask';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { formatJson } from '../json/resultJson';
import { taskJson } from '../json/runJson';
import { refuse } from '../refuse';
import { withHost } from '../withHost';

export interface TaskOptions extends GlobalOptions {
  readonly worker?: number;
  readonly error?: string;
  readonly feature?: string;
}

/** What is said of a task, and of which. */
export interface TaskWords {
  readonly task: string;
  readonly status: TaskStatusWord;
}

/** `rollcall task <id> <status>`: sets the status of a task of a feature run (features.md §4). */
export async function task(context: CliContext, words: TaskWords, options: TaskOptions): Promise<ExitCode> {
  const { worker = null, error = null, feature = null } = options;
  const change = { ...words, worker, error };
  return await withHost(context, options, async (host) => {
    const done = await host.setTask({ feature, change });
    if (!done.ok) {
      return refuse(context, options, done.error);
    }
    const by = worker === null ? '' : ` (worker ${worker})`;
    const text = `${plainLine(words.task)} of ${plainLine(done.value.feature)} is ${words.status}${by}.`;
    context.out(options.json === true ? formatJson(taskJson(done.value, change)) : text);
    return 0;
  });
}
