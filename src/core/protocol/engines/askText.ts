import { type JsonRecord, recordsAt, textAt } from '../features/jsonFields';
import type { EngineEvent } from './engineEvent';
import { shortText } from './shortText';

type Asked = Pick<Extract<EngineEvent, { kind: 'asked' }>, 'isQuestion' | 'tool' | 'input'>;

const MAX_CHOICES = 8;

/** What of an input says best what a tool would do; the first that is there. */
const TELLING = ['command', 'file_path', 'notebook_path', 'path', 'url', 'query', 'pattern', 'prompt', 'description'];

/** What a person must know to answer, on one line; secrets are still in it. */
export function askText({ isQuestion, tool, input }: Asked): string {
  if (isQuestion) {
    const questions = recordsAt(input, 'questions').flatMap((question) => textAt(question, 'question') ?? []);
    return shortText(questions.length === 0 ? tool : questions.join(' '));
  }
  const told = TELLING.map((key) => textAt(input, key)).find((text) => text !== null);
  return shortText(`${tool}: ${told ?? JSON.stringify(input)}`);
}

/** The answers that a question offers. */
export function askChoices({ isQuestion, input }: Asked): readonly string[] {
  const [question] = isQuestion ? recordsAt(input, 'questions') : [];
  const options = question === undefined ? [] : recordsAt(question, 'options');
  return options
    .flatMap((option) => textAt(option, 'label') ?? [])
    .map(shortText)
    .slice(0, MAX_CHOICES);
}

/** The input with which a question is answered: every question of it with this text. */
export function answeredInput(input: JsonRecord, text: string): JsonRecord {
  const questions = recordsAt(input, 'questions').flatMap((question) => textAt(question, 'question') ?? []);
  return { ...input, answers: Object.fromEntries(questions.map((question) => [question, text] as const)) };
}
