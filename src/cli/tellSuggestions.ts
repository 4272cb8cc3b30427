import { type Surface, surfaceWords } from '../core/protocol/workers/surface';
import type { Suggestion } from '../core/protocol/workers/triggers';
import type { CliContext } from './cliContext';

/** One hint line on stderr per suggestion, with the command that follows it. */
export function tellSuggestions(context: CliContext, suggestions: readonly Suggestion[], surface: Surface): void {
  for (const { type, reason } of suggestions) {
    context.err(`Hint: ${reason} Start it with \`${surfaceWords[surface].start.replace('<type>', type)}\`.`);
  }
}
