import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { garbageJson } from '../json/planJson';
import { formatJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { type GarbageDeed, garbageText } from '../text/garbageText';
import { UsageError } from '../usageError';
import { withHost } from '../withHost';

export interface GcOptions extends GlobalOptions {
  readonly apply?: true;
  readonly undo?: true;
}

/**
 * `rollcall gc [--apply | --undo]`: lists the worker folders that nobody needs any more, moves them into the trash beside
 * the registry, or puts back what was moved last. Nothing is ever deleted.
 */
export async function gc(context: CliContext, options: GcOptions): Promise<ExitCode> {
  const deed = deedOf(options);
  return await withHost(context, options, async (host) => {
    const report =
      deed === 'restored' ? await host.restoreGarbage() : await host.collectGarbage({ dryRun: deed === 'listed' });
    if (!report.ok) {
      return refuse(context, options, report.error);
    }
    const now = Date.now();
    const { value } = report;
    context.out(options.json === true ? formatJson(garbageJson(deed, value, now)) : garbageText(deed, value, now));
    return 0;
  });
}

function deedOf({ apply, undo }: GcOptions): GarbageDeed {
  if (apply === true && undo === true) {
    throw new UsageError('--apply and --undo exclude each other. Give one of them.');
  }
  return undo === true ? 'restored' : apply === true ? 'moved' : 'listed';
}
