import type { ProjectReader } from './projectReader';
import { whyUnread } from './readJson';

/** The text of a file, or null where there is none. Rejects with a sentence when it is there and cannot be read. */
export async function readOptionalText(project: ProjectReader, file: string): Promise<string | null> {
  const text = await project.readText(file);
  if (text.kind === 'ok') {
    return text.text;
  }
  if (text.kind === 'absent') {
    return null;
  }
  throw new Error(`${file} ${whyUnread(text)}`);
}
