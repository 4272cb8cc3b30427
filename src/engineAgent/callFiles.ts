import { lstat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { errorCode, errorText } from '../core/base/errorText';
import { fail, ok, type Result } from '../core/base/result';
import type { EngineCall } from '../core/engines/engineAgentJob';
import { writeFileAtomic } from '../core/system/atomicFile';
import { readBounded } from '../core/system/boundedRead';
import { confinedPath } from '../core/system/safePath';

/** Far more than a prompt or an answer has, bytes. */
const MAX_BYTES = 1024 * 1024;

/** The text of the message file without a byte order mark. Follows no link. The error ends in what to do. */
export async function readCallMessage({ sessionDir, messageFile }: EngineCall): Promise<Result<string, string>> {
  const confined = await confinedPath(sessionDir, relative(sessionDir, messageFile));
  if (!confined.ok) {
    return fail(`${confined.error} Name a messageFile in the session folder itself.`);
  }
  const name = basename(messageFile);
  const file = await readBounded(messageFile, MAX_BYTES);
  switch (file.kind) {
    case 'ok':
      return file.text.trim() === ''
        ? fail(`The messageFile ${name} is empty. Write the prompt into it first.`)
        : ok(file.text.replace(/^\uFEFF/, ''));
    case 'absent':
      return fail(`There is no messageFile ${name}. Write it before the CLIInvoke is sent.`);
    case 'too-large':
      return fail(`The messageFile ${name} is larger than 1 MiB. Make it shorter.`);
    case 'not-a-file':
      return fail(`The messageFile ${name} is a link or no file. Name a file of the session folder.`);
    case 'unreadable':
      return fail(`The messageFile ${name} cannot be read (${file.code}). Make it readable.`);
  }
}

/** Why the answer must not be written there, or null. Asked before the run, and again by `writeCallResponse`. */
export async function responseTrouble({ sessionDir, responseFile }: EngineCall): Promise<string | null> {
  const confined = await confinedPath(sessionDir, relative(sessionDir, responseFile));
  if (!confined.ok) {
    return `${confined.error} Name a responseFile in the session folder itself.`;
  }
  try {
    return (await lstat(responseFile)).isFile()
      ? null
      : `The responseFile ${basename(responseFile)} is a link or no file. Remove it, or name another one.`;
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? null : `The responseFile cannot be looked at: ${errorText(error)}.`;
  }
}

/** Puts the answer there at once, cut behind 1 MiB; gives why it could not, or null. Follows no link. */
export async function writeCallResponse(call: EngineCall, answer: string): Promise<string | null> {
  const trouble = await responseTrouble(call);
  if (trouble !== null) {
    return trouble;
  }
  try {
    await writeFileAtomic(call.responseFile, clipped(answer));
    return null;
  } catch (error) {
    return `The responseFile cannot be written: ${errorText(error)}. Make its folder and let it be writable.`;
  }
}

function clipped(text: string): string {
  const bytes = Buffer.from(text);
  // A letter that the cut goes through is left out whole.
  return bytes.length <= MAX_BYTES ? text : new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true });
}
