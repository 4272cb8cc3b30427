import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { formatJson, notedJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { tellSuggestions } from '../tellSuggestions';
import { withHost } from '../withHost';

/** `rollcall notify bto-test`: tells of a run that left nothing on disk, and says what is worth a start now. */
export async function notify(context: CliContext, event: 'bto-test', options: GlobalOptions): Promise<ExitCode> {
  return await withHost(context, options, async (host) => {
    const noted = await host.noteBtoTest();
    if (!noted.ok) {
      return refuse(context, options, noted.error);
    }
    const { suggestions } = await host.look();
    context.out(options.json === true ? formatJson(notedJson(event, suggestions)) : `Noted: a ${event} ran.`);
    tellSuggestions(context, suggestions, surfaceOf(options));
    return 0;
  });
}
