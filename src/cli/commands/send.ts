import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorText } from '../../core/base/errorText';
import { surfaceOf, type CliContext, type ExitCode, type GlobalOptions } from '../cliContext';
import { UsageError } from '../usageError';
import { withHost } from '../withHost';
import { tellMailWaits } from '../tellMailWaits';
import { tellAccepted } from './session';

export interface SendOptions extends GlobalOptions {
  readonly to: string;
  readonly type: string;
  /** JSON, or `@` and the path of a file that holds it. */
  readonly payload?: string;
  readonly inReplyTo?: string;
}

/** `rollcall send --to <agent> --type <Type> [--payload <json>|@file]`: a message of the person, whoever runs. */
export async function send(context: CliContext, options: SendOptions): Promise<ExitCode> {
  const { to, type, inReplyTo } = options;
  const payload = await payloadOf(options);
  const reply = inReplyTo === undefined ? {} : { inReplyTo };
  const request = { to, type, payload, requestedBy: surfaceOf(options), ...reply };
  return await withHost(context, options, async (host) => {
    const code = tellAccepted(context, options, await host.session.send(request));
    return code === 0 ? await tellMailWaits(context, host) : code;
  });
}

async function payloadOf({ payload = '{}', cwd = '.' }: SendOptions): Promise<Readonly<Record<string, unknown>>> {
  const text = payload.startsWith('@') ? await textOf(resolve(cwd, payload.slice(1))) : payload;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError('--payload must be a JSON object, e.g. \'{"taskId":"feat-001"}\', or @ and a file with one.');
  }
  return value as Readonly<Record<string, unknown>>;
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--payload @${path} cannot be read: ${errorText(error)}.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    // Not JSON is one way of not being an object; the caller says what is wanted.
    return null;
  }
}
