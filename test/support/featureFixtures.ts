import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempProject } from './tempProject';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'features');

/** The recorded run states, by folder name. */
export const featureFixtures: readonly string[] = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

/** A recorded run state in a folder of its own, with what a correct viewer shows of it. */
export interface FeatureFixture {
  readonly root: string;
  /** The home folder of whoever looks; it need not exist. */
  readonly home: string;
  /** The instant to look at, as written. */
  readonly now: string;
  readonly tz: string;
  readonly expected: Readonly<Record<string, unknown>> & { readonly diagnostics: readonly string[] };
}

/** Copies a fixture into a folder that is removed when the running test ends. */
export async function featureFixture(name: string): Promise<FeatureFixture> {
  const from = join(FIXTURES, name);
  const root = await tempProject({}, name);
  cpSync(from, root, { recursive: true, filter: (path) => !/(?:NOW|TZ|expected\.json)$/.test(path) });
  const tz = join(from, 'TZ');
  return {
    root,
    home: join(root, 'home'),
    now: readFileSync(join(from, 'NOW'), 'utf8').trim(),
    tz: existsSync(tz) ? readFileSync(tz, 'utf8').trim() : 'UTC',
    expected: JSON.parse(readFileSync(join(from, 'expected.json'), 'utf8')) as FeatureFixture['expected'],
  };
}

/** Every file below `root` with its text and time, so that two moments can be compared. */
export function filesBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}
