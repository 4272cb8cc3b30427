import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { featuresJson } from '../../src/core/protocol/features/featureJson';
import type { FeatureSnapshot, FeaturesSnapshot } from '../../src/core/protocol/features/featureSnapshot';
import { featureFixture, featureFixtures, type FeatureFixture, filesBelow } from '../support/featureFixtures';
import { lookAtFeatures } from '../support/lookAtFeatures';
import { addFiles } from '../support/tempProject';

const CUTS_PER_FILE = 5;

/** Cuts that are made beside the random ones; all in a log of prose, whose lines are no JSON that tells a cut by itself. */
function cutsOf(path: string, length: number): [number][] {
  const all = path.endsWith('progress.md')
    ? Array.from({ length }, (_, at) => at)
    : [0, 1, Math.max(0, length - 4), Math.max(0, length - 1)];
  return all.map((at) => [at]);
}

/** The words that we say ourselves where a file says nothing. */
const OUR_WORDS = new Set(
  `unknown unreadable designed complete complete_with_failures paused orphaned executing conflict merge_failed running
  pending active late stale silent no-heartbeat stopped crashed state execution-state checkpoint progress-md
  claude-tasks subprocess container in_progress failed blocked`.split(/\s+/),
);

/** Every text in a snapshot, without paths, keys and instants. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    return [value];
  }
  if (Array.isArray(value)) {
    return value.flatMap(textsOf);
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value ?? {});
  const ours = /^(?:source|file|worktree_state_files|unattributed_heartbeats|task_agents|modes)$|_at$|^at$/;
  return entries.filter(([key]) => !ours.test(key)).flatMap(([, child]) => textsOf(child));
}

/** The logs and lists of lines, whose begin is a true older state. */
function isLineLog(path: string): boolean {
  return /\.(?:md|jsonl)$/.test(path);
}

/** The state as the file's backup tells it: what a damaged state may lawfully show. */
async function withoutFile(fixture: FeatureFixture, path: string): Promise<FeaturesSnapshot> {
  const text = readFileSync(path);
  writeFileSync(path, '');
  const snapshot = await lookAtFeatures(fixture);
  writeFileSync(path, text);
  return snapshot;
}

function taskWords({ tasks }: FeatureSnapshot): ReadonlyMap<string, string> {
  return new Map(tasks.map(({ id, status }) => [id, status]));
}

/** Of its tasks and workers, wherever they are named. */
function idsOf({ tasks, workers, strandedTasks }: FeatureSnapshot): readonly string[] {
  const named = workers.flatMap(({ id, currentTask }) => [
    `W${String(id)}`,
    ...(currentTask === null ? [] : [currentTask]),
  ]);
  return [...tasks.map(({ id }) => id), ...named, ...strandedTasks];
}

interface Cut {
  readonly whole: FeaturesSnapshot;
  readonly emptied: FeaturesSnapshot;
  readonly cut: FeaturesSnapshot;
}

/** A damaged file makes the answer older or unknown, never another one. */
function expectNothingInvented({ whole, emptied, cut }: Cut, path: string): void {
  for (const feature of cut.features) {
    const before = [whole, emptied].flatMap(({ features }) =>
      features.filter((one) => one.feature === feature.feature),
    );
    expect(before.length).toBeGreaterThan(0);
    if (feature.phase === 'unreadable') {
      expect(feature.percent).toBeNull();
    }
    for (const id of idsOf(feature)) {
      expect(before.flatMap(idsOf)).toContain(id);
    }
    if (isLineLog(path)) {
      continue;
    }
    const percents = before.map(({ percent }) => percent);
    expect([null, ...percents]).toContain(feature.percent);
    expect([null, ...before.map(({ totalTasks }) => totalTasks)]).toContain(feature.totalTasks);
    for (const [id, status] of taskWords(feature)) {
      expect(['unknown', ...before.map((one) => taskWords(one).get(id))]).toContain(status);
    }
  }
}

/** The files of a fixture from which a look may take words. */
function filesOfInterest({ root }: FeatureFixture): readonly string[] {
  return filesBelow(root).filter((path) => !/\.(?:lock|yaml)$|stdout|stderr|logs.tasks/.test(path));
}

/** Everything that these files hold, as text and as JSON's texts; the name of a branch is that of its file. */
function heldBy(files: readonly string[]): string {
  const all = files.map((path) => `${readFileSync(path, 'utf8')}\n${path}`).join('\n');
  return `${all}\n${[...all.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => text).join('\n')}`;
}

/** Cuts each of these files of a fixture at some bytes, one after the other, and looks. */
async function cutEach(
  fixture: FeatureFixture,
  files: readonly string[],
  expectMore: (cut: FeaturesSnapshot) => void = () => undefined,
): Promise<void> {
  const whole = await lookAtFeatures(fixture);
  const held = heldBy(filesOfInterest(fixture));
  for (const path of files) {
    const bytes = readFileSync(path);
    const emptied = await withoutFile(fixture, path);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: Math.max(0, bytes.length - 1) }), async (length) => {
        writeFileSync(path, bytes.subarray(0, length));
        const cut = await lookAtFeatures(fixture);
        expectNothingInvented({ whole, emptied, cut }, relative(fixture.root, path));
        expectMore(cut);
        const strange = textsOf(featuresJson(cut)).filter((text) => !OUR_WORDS.has(text) && !held.includes(text));
        expect(strange.filter((text) => !held.includes(JSON.stringify(text).slice(1, -1)))).toEqual([]);
      }),
      { numRuns: cutsOf(path, bytes.length).length + CUTS_PER_FILE, examples: cutsOf(path, bytes.length) },
    );
    writeFileSync(path, bytes);
  }
}

describe.each(featureFixtures)('with any file of %s cut at any byte', (name) => {
  it('nothing throws, nothing is invented, and what cannot be read is not 0 %', async () => {
    const fixture = await featureFixture(name);
    await cutEach(fixture, filesOfInterest(fixture));
  });
});

const SUBJECTS = ['ZERG [0]: Define types', 'ZERG [1]: Über', 'Without a number'] as const;

/** What git keeps of the branches of two workers, one of them packed. */
function gitFiles(folder: string): Readonly<Record<string, string>> {
  const [one, other] = ['1a'.repeat(20), '2b'.repeat(20)];
  const line = (hash: string, message: string, seconds = 1769421900): string =>
    `${'0'.repeat(40)} ${hash} Test <test@example.invalid> ${String(seconds)} +0000\t${message}\n`;
  return {
    [`${folder}/packed-refs`]: `# pack-refs with: peeled\n${one} refs/heads/zerg/user-auth/worker-1\n${one} refs/heads/zerg/user-auth/worker-12\n`,
    [`${folder}/refs/heads/zerg/user-auth/worker-0`]: `${other}\n`,
    [`${folder}/logs/refs/heads/zerg/user-auth/worker-0`]: `${line(one, 'branch: Created from HEAD')}${line(other, `commit: ${SUBJECTS[0]}`)}${line(one, `commit: ${SUBJECTS[1]}`)}`,
    [`${folder}/logs/refs/heads/zerg/user-auth/worker-1`]: line(other, `commit: ${SUBJECTS[2]}`, 1769421800),
  };
}

describe.each<[string, Readonly<Record<string, string>>]>([
  ['a repository', gitFiles('.git')],
  [
    'a worktree',
    {
      ...gitFiles('main/.git'),
      '.git': 'gitdir: main/.git/worktrees/session\n',
      'main/.git/worktrees/session/commondir': '../..\n',
    },
  ],
])('with any file of git cut at any byte in %s', (_name, files) => {
  it('no branch and no commit is invented', async () => {
    const fixture = await featureFixture('08a-seed-execution-state');
    await addFiles(fixture.root, files);
    const { features } = await lookAtFeatures(fixture);
    expect(features[0]?.workers.map(({ branch, lastCommit }) => [branch, lastCommit?.subject])).toEqual([
      ['zerg/user-auth/worker-0', SUBJECTS[0]],
      ['zerg/user-auth/worker-1', SUBJECTS[1]],
      [null, undefined],
    ]);
    await cutEach(
      fixture,
      Object.keys(files).map((path) => join(fixture.root, path)),
      (cut) => {
        for (const { branch, lastCommit } of cut.features.flatMap(({ workers }) => workers)) {
          expect([null, 'zerg/user-auth/worker-0', 'zerg/user-auth/worker-1']).toContain(branch);
          expect([undefined, ...SUBJECTS]).toContain(lastCommit?.subject);
        }
      },
    );
  });
});
