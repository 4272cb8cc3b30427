import { errorText } from '../../core/base/errorText';
import { filesBelow } from '../project/filesBelow';
import type { ProjectReader } from '../project/projectReader';
import { readOptionalText } from '../project/readOptionalText';
import { type CaseFindings, CaseScan } from './caseScan';

/** What came of reading one case. */
export interface CaseReading {
  readonly findings: CaseFindings;
  readonly files: number;
  /** One sentence for each thing that was not read. */
  readonly unread: readonly string[];
}

const MAX_FILES = 200;
const MAX_DEPTH = 3;
/** UTF-16 units of one case. A hundred pages are a tenth of it. */
const MAX_TEXT = 4 * 1024 * 1024;

/** Reads the Markdown files of a case, one after another. What cannot be read is named and keeps nothing else back. */
export async function readCase(project: ProjectReader, slug: string): Promise<CaseReading> {
  const scan = new CaseScan();
  const unread: string[] = [];
  const search = { depth: MAX_DEPTH, max: MAX_FILES, isWanted: (name: string) => /^[^.].*\.md$/i.test(name) };
  const { files, isCut } = await filesBelow(project, `researches/${slug}`, search);
  let left = MAX_TEXT;
  for (const file of files) {
    const text = await textOf(project, file, unread);
    scan.take(text.slice(0, left));
    left = Math.max(0, left - text.length);
  }
  if (isCut || left === 0) {
    unread.push(`Case ${slug} is very large: only the first ${MAX_FILES} files and 4 MiB of it were read.`);
  }
  return { findings: scan.findings(), files: files.length, unread };
}

async function textOf(project: ProjectReader, file: string, unread: string[]): Promise<string> {
  try {
    return (await readOptionalText(project, file)) ?? '';
  } catch (error) {
    unread.push(`Not read: ${errorText(error)}.`);
    return '';
  }
}
