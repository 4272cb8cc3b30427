import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { starterConfig } from './starterConfig';
import { readWorkersConfig } from './workersConfig';

type Schema = Readonly<Record<string, unknown>>;

const schema = JSON.parse(
  readFileSync(new URL('../../../../media/workers.schema.json', import.meta.url), 'utf8'),
) as Schema;
// Words that VS Code's editor adds to the schema language.
const editorWords = ['allowTrailingCommas', 'allowComments', 'defaultSnippets', 'enumDescriptions'];
const validate = new Ajv({ strict: true, strictRequired: false, strictTypes: false, keywords: editorWords }).compile(
  schema,
);

const isFine = (document: unknown): boolean => readWorkersConfig(JSON.stringify(document)).diagnostics.length === 0;

function resolved(part: Schema): Schema {
  const target = typeof part['$ref'] === 'string' ? part : (part['allOf'] as readonly Schema[] | undefined)?.[0];
  const name = /^#\/definitions\/(.+)$/.exec((target?.['$ref'] as string | undefined) ?? '')?.[1];
  return name === undefined
    ? part
    : { ...part, ...resolved((schema['definitions'] as Record<string, Schema>)[name] ?? {}) };
}

/** Texts that one key or the other must not take. */
const oddTexts = fc.constantFrom(
  ...[
    'x',
    ' ',
    '',
    'npm',
    'lib/a.md',
    '../a',
    '/a',
    'a\\b',
    'C:x',
    'reports/',
    './a',
    'a/./b',
    'a//b',
    '.keysarium/',
    'Claude.md',
  ],
  ...[
    'researches/x',
    'RESEARCHES',
    'research',
    '.claude',
    '.claudette/x',
    '.keysarium/workers/x',
    '.keysarium/exports/',
    'features',
  ],
  ...['0 6 * * 1', '@daily', '@Weekly', '0 6 * *', '* * * * * *', 'every day', '...', '..a', 'a/..', 'a '],
);
/** A schedule happens to be a name and a path as well. */
const texts = fc.oneof({ weight: 3, arbitrary: fc.constant('0 6 * * 1') }, { weight: 1, arbitrary: oddTexts });
const numbers = fc.constantFrom(1, 2, 1, 2, -1, 0, 0.5, 3, 1e20);
const junk = fc.oneof(texts, numbers, fc.constantFrom(null, true, [], {}, ['x'], { x: 'y' }, [1]));

/** Mostly what the schema asks for at this place, sometimes anything else. */
function documentsOf(place: Schema): fc.Arbitrary<unknown> {
  const part = resolved(place);
  return fc.oneof({ weight: 12, arbitrary: fittingOf(part) }, { weight: 1, arbitrary: junk });
}

function fittingOf(part: Schema): fc.Arbitrary<unknown> {
  const words = part['enum'] as readonly unknown[] | undefined;
  if (words !== undefined) {
    return fc.constantFrom(...words, 'command');
  }
  if ('const' in part) {
    return fc.constant(part['const']);
  }
  switch (part['type']) {
    case 'object':
      return objectsOf(part);
    case 'array':
      return fc.array(documentsOf(part['items'] as Schema), { maxLength: 3 });
    case 'string':
      return texts;
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return numbers;
    default:
      return junk;
  }
}

/** What makes a type or an agent run something, one way or the other, or nothing. */
const RUNNABLE = [
  {},
  { description: 'x', command: ['x'] },
  { description: 'x', template: 'x.md' },
  { command: ['x'] },
  { engine: 'claude', prompt: '/x' },
];

function objectsOf(part: Schema): fc.Arbitrary<unknown> {
  const known = (part['properties'] ?? {}) as Record<string, Schema>;
  const free = part['additionalProperties'];
  const named: Record<string, Schema> =
    typeof free === 'object' && free !== null
      ? { ...known, 'own-type': free as Schema, x2: free as Schema, 'Bad Name': free as Schema, _a: free as Schema }
      : known;
  const values = Object.fromEntries(Object.entries(named).map(([key, value]) => [key, documentsOf(value)]));
  const unknown = fc.constantFrom({}, {}, {}, {}, {}, {}, {}, { surprise: 1 });
  const basis = fc.constantFrom<object>(...('oneOf' in part ? RUNNABLE : [{}]));
  // Few keys at a time, so that many documents have no fault at all.
  const few = fc.subarray(Object.keys(values), { maxLength: Math.min(3, Object.keys(values).length) });
  const inside = few.chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, values[key] ?? junk]))));
  return fc.tuple(basis, inside, unknown).map((parts): object => Object.assign({}, ...parts));
}

function eachPart(part: unknown, visit: (part: Schema) => void): void {
  if (typeof part === 'object' && part !== null) {
    visit(part as Schema);
    for (const inside of Object.values(part)) {
      eachPart(inside, visit);
    }
  }
}

describe('the JSON schema of workers.json', () => {
  it('takes and refuses the same documents as the reader', () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(objectsOf(schema), (document) => {
        const fine = isFine(document);
        seen[fine ? 'taken' : 'refused'] += 1;
        const agrees = validate(document) === fine;
        expect(
          agrees ? null : { fine, schema: validate.errors, reader: readWorkersConfig(JSON.stringify(document)) },
        ).toBeNull();
      }),
      { numRuns: 3_000 },
    );
    expect(seen.taken).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(100);
  });

  it.each([
    ['types', 'type', 'own-type'],
    ['types', 'override', 'health-check'],
    ['agents', 'agent', 'pm'],
  ])('decides about each entry of %s (%s) as the reader does', (section, definition, name) => {
    const entries = fittingOf((schema['definitions'] as Record<string, Schema>)[definition] ?? {});
    const taken = { count: 0 };
    fc.assert(
      fc.property(entries, (entry) => {
        const document = { version: 1, [section]: { [name]: entry } };
        const fine = isFine(document);
        taken.count += fine ? 1 : 0;
        expect({ document, schema: validate(document) }).toEqual({ document, schema: fine });
      }),
      { numRuns: 2_000 },
    );
    expect(taken.count).toBeGreaterThan(50);
  });

  it.each([
    'version maxConcurrent defaults types agents session triggers features',
    'description model engine template command mayWrite schedule image env isolation retry graceSeconds limits',
    'minutes outputMB memoryMB costUsd',
    'command engine prompt model env cwd start isolation restart graceSeconds limits',
    'max backoffSeconds resetAfterMinutes',
    'dir mode compatiblePipeNames maxIterations',
    'taskHomes lateSeconds staleSeconds silentSeconds',
    'engine isolation retry graceSeconds limits env',
  ])('knows together the keys that the documentation names: %s', (keys) => {
    const groups: string[][] = [];
    eachPart(schema, (part) => {
      groups.push(Object.keys(part['properties'] ?? {}));
    });
    expect(groups.some((group) => keys.split(' ').every((key) => group.includes(key)))).toBe(true);
  });

  it('describes every key for the reader who hovers it', () => {
    const bare: string[] = [];
    const ownProperties = [schema, ...Object.values(schema['definitions'] as Record<string, Schema>)];
    const visit = (part: Schema): void => {
      for (const [key, value] of Object.entries((part['properties'] ?? {}) as Record<string, Schema>)) {
        if (typeof value['description'] !== 'string') {
          bare.push(key);
        }
        visit(value);
      }
    };
    ownProperties.forEach(visit);
    expect(bare).toEqual([]);
  });
});

describe('the starter file', () => {
  it('is free of faults and changes nothing', () => {
    expect(readWorkersConfig(starterConfig)).toEqual(readWorkersConfig('{"version": 1}'));
  });

  it('is free of faults with every example in force', () => {
    const [title = '', ...lines] = starterConfig.split('\n');
    const text = [title, ...lines.map((line) => line.replace(/^ {2}\/\/ (?=[ "}])/, ''))].join('\n');
    const { config, diagnostics } = readWorkersConfig(text);
    expect(diagnostics).toEqual([]);
    expect(config.types.map(({ name }) => name)).toEqual(['nightly-tests', 'dependency-audit']);
    expect(config.overrides).toMatchObject([{ name: 'health-check', schedule: '0 6 * * 1' }]);
  });
});
