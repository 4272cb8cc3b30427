import { displayText } from './displayText';
import { surfaceWords, type Surface } from './surface';
import { RULE, tableLines } from './textTable';
import type { WorkerType } from './workerType';

const COLUMNS = [
  { title: 'Type', width: 18 },
  { title: 'Model', width: 9 },
  { title: 'Description', width: 0 },
];

/** The document's table of types, in the given order (own types follow the protocol's four). No final newline. */
export function listTable(types: readonly WorkerType[], surface: Surface): string {
  const cells = types.map(({ name, model, description }) => [name, model, description].map(displayText));
  const head = [RULE, 'Available Worker Types', RULE, ''];
  return [...head, ...tableLines(COLUMNS, cells), '', `Usage: ${surfaceWords[surface].start}`, RULE].join('\n');
}
