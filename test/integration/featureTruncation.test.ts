import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { featuresJson } from '../../src/core/protocol/features/featureJson';
import type { FeatureSnapshot, FeaturesSnapshot } from '../../src/core/protocol/features/featureSnapshot';
import { featureFixture, featureFixtures, type FeatureFixture, filesBelow } from '../support/featureFixtures';
import { lookAtFeatures } from '../support/lookAtFeatures';

const CUTS_PER_FILE = 5;

/** Cuts that are made beside the random ones; all in a log of prose, whose lines are no JSON that tells a cut by itself. */
function cutsOf(path: string, length: number): [number][] {
  const all = path.endsWith('progress.md') ? Array.from({ length }, (_, at) => at) : [0, 1, Math.max(0, length - 1)];
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

describe.each(featureFixtures)('with any file of %s cut at any byte', (name) => {
  it('nothing throws, nothing is invented, and what cannot be read is not 0 %', async () => {
    const fixture = await featureFixture(name);
    const whole = await lookAtFeatures(fixture);
    const files = filesBelow(fixture.root).filter((path) => !/\.(?:lock|yaml)$|stdout|stderr|logs.tasks/.test(path));
    const all = files.map((path) => readFileSync(path, 'utf8')).join('\n');
    const held = `${all}\n${[...all.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => text).join('\n')}`;
    for (const path of files) {
      const bytes = readFileSync(path);
      const emptied = await withoutFile(fixture, path);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: Math.max(0, bytes.length - 1) }), async (length) => {
          writeFileSync(path, bytes.subarray(0, length));
          const cut = await lookAtFeatures(fixture);
          expectNothingInvented({ whole, emptied, cut }, relative(fixture.root, path));
          const strange = textsOf(featuresJson(cut)).filter((text) => !OUR_WORDS.has(text) && !held.includes(text));
          expect(strange.filter((text) => !held.includes(JSON.stringify(text).slice(1, -1)))).toEqual([]);
        }),
        { numRuns: cutsOf(path, bytes.length).length + CUTS_PER_FILE, examples: cutsOf(path, bytes.length) },
      );
      writeFileSync(path, bytes);
    }
  });
});
