import { assertNever } from '../../base/assertNever';
import type { EngineEvent, EngineUsage } from './engineEvent';

/** An input of a tool is told in so many characters. */
const MAX_INPUT = 200;

/** What the readable log says of one line of an engine: nothing, or a text of one or more lines. Secrets are still in it. */
export function engineLogText(line: string | null, events: readonly EngineEvent[]): string | null {
  const texts = events.flatMap((event) =>
    event.kind === 'unknown' ? [line ?? '[a line that was too long]'] : textOf(event),
  );
  return texts.length === 0 ? null : texts.join('\n');
}

function textOf(event: Exclude<EngineEvent, { kind: 'unknown' }>): readonly string[] {
  switch (event.kind) {
    case 'session':
      return [`[session] ${event.sessionId}${event.model === null ? '' : `, model ${event.model}`}`];
    case 'text':
      return [event.text];
    case 'toolStarted':
      return [`[tool] ${toolText(event.tool, event.file)}`];
    case 'toolFinished':
      return finishedText(event);
    case 'refused':
      return ['[write refused]'];
    case 'asked':
      return [`[asks] ${event.tool} ${JSON.stringify(event.input).slice(0, MAX_INPUT)}`];
    case 'denied':
      return [`[denied] ${event.tool}`];
    case 'retrying':
      return [`[tries again${attemptText(event)}] ${event.text}`];
    case 'failed':
      return [`[failed] ${event.fault}: ${event.text}`];
    case 'warning':
      return [`[warning] ${event.text}`];
    case 'usage':
      return event.covers === 'step' ? [] : [`[used] ${usageText(event.usage)}`];
    case 'done':
    case 'interrupted':
      return [`[${event.kind}]`];
    case 'turn':
    case 'withdrawn':
    case 'allowance':
      return [];
    default:
      return assertNever(event, 'engine event');
  }
}

function toolText(tool: string, file: string | null): string {
  return file === null ? tool : `${tool} ${file}`;
}

/** Where the start named the tool, only a failure is news. */
function finishedText({ tool, file, failed }: Extract<EngineEvent, { kind: 'toolFinished' }>): readonly string[] {
  if (tool === null) {
    return failed ? ['[tool failed]'] : [];
  }
  return [`[tool ${failed ? 'failed' : 'done'}] ${toolText(tool, file)}`];
}

function attemptText({ attempt, of }: { readonly attempt: number | null; readonly of: number | null }): string {
  if (attempt === null) {
    return '';
  }
  return of === null ? `, ${attempt}` : `, ${attempt} of ${of}`;
}

function usageText({ inputTokens, cachedTokens, outputTokens, costUsd }: EngineUsage): string {
  const money = costUsd === null ? '' : `, ${costUsd.toFixed(4)} USD`;
  return `${inputTokens} tokens in (${cachedTokens} cached), ${outputTokens} out${money}`;
}
