import { plainRecord } from '../../core/protocol/workers/plainRecord';
import { counted } from '../project/counted';
import { filesBelow } from '../project/filesBelow';
import { inOrder } from '../project/inOrder';
import type { ProjectReader } from '../project/projectReader';
import { readJson } from '../project/readJson';
import { listResearches, newestCompletion } from '../project/researches';
import { type Check, type CheckOutcome, conclude, type Finding } from './check';

const EXPORTS = '.keysarium/exports';
const MEMORY = '.keysarium/memory';
const MAX_DEPTH = 4;
const MAX_FILES = 10_000;

/** The newest brain export is readable and has seen the newest case; every record of the memory is readable. */
export const brainState: Check = {
  name: 'brain-state',
  async run({ project }): Promise<CheckOutcome> {
    const newestCase = newestCompletion(await listResearches(project));
    const exports = await jsonFiles(project, EXPORTS, 1);
    const memory = await jsonFiles(project, MEMORY, MAX_DEPTH);
    const findings = [
      ...(await judgeExports(project, exports, newestCase)),
      ...(await inOrder(memory, async (file) => await judgeMemory(project, file))).flat(),
    ];
    const summary = `${counted(exports.length, 'brain export')} and ${counted(memory.length, 'memory file')} in order`;
    return conclude(summary, findings);
  },
};

async function jsonFiles(project: ProjectReader, folder: string, depth: number): Promise<readonly string[]> {
  const isWanted = (name: string): boolean => name.endsWith('.json');
  return (await filesBelow(project, folder, { depth, max: MAX_FILES, isWanted })).files;
}

async function judgeExports(
  project: ProjectReader,
  files: readonly string[],
  newestCase: number | null,
): Promise<readonly Finding[]> {
  const advice = 'Run an export-brain worker.';
  const newest = await newestFile(project, files);
  if (newest === null) {
    const text = 'cases are complete and there is no brain export';
    return newestCase === null ? [] : [{ level: 'warn', text, advice }];
  }
  const reading = await readJson(project, newest.file);
  if (reading.kind === 'bad') {
    return [{ level: 'fail', text: `${newest.file} ${reading.reason}`, advice }];
  }
  if (reading.kind === 'ok' && plainRecord(reading.value)?.['format'] !== 'keysarium-brain') {
    return [{ level: 'warn', text: `${newest.file} is no brain export`, advice }];
  }
  const isBehind = newestCase !== null && newest.mtimeMs < newestCase;
  return isBehind ? [{ level: 'warn', text: 'the newest brain export is older than the newest case', advice }] : [];
}

async function newestFile(
  project: ProjectReader,
  files: readonly string[],
): Promise<{ readonly file: string; readonly mtimeMs: number } | null> {
  const found = await inOrder(files, async (file) => ({ file, mtimeMs: (await project.stat(file))?.mtimeMs ?? 0 }));
  return found.reduce<(typeof found)[number] | null>(
    (best, next) => (best === null || next.mtimeMs > best.mtimeMs ? next : best),
    null,
  );
}

async function judgeMemory(project: ProjectReader, file: string): Promise<readonly Finding[]> {
  const reading = await readJson(project, file);
  return reading.kind === 'bad'
    ? [{ level: 'fail', text: `${file} ${reading.reason}`, advice: 'Restore or remove unreadable memory files.' }]
    : [];
}
