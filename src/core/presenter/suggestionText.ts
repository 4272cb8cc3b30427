import type { Suggestion } from '../protocol/workers/triggers';
import type { Translate } from './words';

/** The reason of a suggestion as a question to the person. */
export function suggestionText({ type, reason }: Suggestion, t: Translate): string {
  switch (type) {
    case 'consolidate':
      return t('Completed cases have not been consolidated yet. Start consolidate?');
    case 'health-check':
      return t('A bto-test ran, and no health check has run since. Start health-check?');
    default:
      return reason;
  }
}
