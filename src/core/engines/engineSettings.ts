import { isRecord } from '../protocol/events/jsonGuards';
import type { EngineSettings } from './engineAdapter';
import { engineAdapters } from './engineAdapters';

/** What a person set for all engines. */
export interface EnginesSettings {
  /** By the engine's name; one that is missing has no settings. */
  readonly engines: Readonly<Record<string, EngineSettings>>;
  /** How long a person has to answer what a program asks before it is denied, milliseconds. */
  readonly answerMs: number;
}

const MINUTE_MS = 60_000;
const ANSWER_MINUTES = 30;
/** A timer cannot wait for much longer than three weeks. */
const MOST_MINUTES = 7 * 24 * 60;

/**
 * The person's settings of engines from JSON: `{"answerMinutes": 30, "claude": {"program", "models", "hosts", "args"}}`.
 * What is missing or of a wrong type takes its default; other names are left out.
 */
export function readEnginesSettings(value: unknown): EnginesSettings {
  const given = isRecord(value) ? value : {};
  const minutes = given['answerMinutes'];
  const isSound = typeof minutes === 'number' && minutes > 0;
  return {
    engines: Object.fromEntries(engineAdapters.map(({ name }) => [name, settingsOf(given[name])] as const)),
    answerMs: (isSound ? Math.min(minutes, MOST_MINUTES) : ANSWER_MINUTES) * MINUTE_MS,
  };
}

function settingsOf(value: unknown): EngineSettings {
  const { program, models, hosts, args } = isRecord(value) ? value : ({} as Record<string, unknown>);
  return {
    program: typeof program === 'string' && program.trim() !== '' ? program.trim() : null,
    models: Object.fromEntries(
      Object.entries(isRecord(models) ? models : {}).filter((pair): pair is [string, string] => isText(pair[1])),
    ),
    hosts: textsIn(hosts),
    args: textsIn(args),
  };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isText) : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
