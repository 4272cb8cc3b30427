import { isRecord, readJson } from '../core/protocol/events/jsonGuards';
import { textAt } from '../core/protocol/features/jsonFields';
import { writeFileAtomic } from '../core/system/atomicFile';
import { readBounded } from '../core/system/boundedRead';

const MAX_BYTES = 16 * 1024;

/** Where the engine's session of an agent belongs: another program, or the same one elsewhere, does not find it. */
export interface SessionOwner {
  readonly engine: string;
  readonly root: string;
}

/** The engine's session of an agent; survives its process, so that the next one goes on with it. */
export class SessionFile {
  readonly #path: string;
  readonly #owner: SessionOwner;
  #written: string | null = null;

  constructor(path: string, owner: SessionOwner) {
    this.#path = path;
    this.#owner = owner;
  }

  /** The session to go on with, or null. */
  async read(): Promise<string | null> {
    const file = await readBounded(this.#path, MAX_BYTES);
    const record = file.kind === 'ok' ? readJson(file.text) : null;
    const { engine, root } = this.#owner;
    return isRecord(record) && record['engine'] === engine && record['root'] === root
      ? textAt(record, 'sessionId')
      : null;
  }

  /** Rejects with the system's error. */
  async write(sessionId: string): Promise<void> {
    if (sessionId !== this.#written) {
      await writeFileAtomic(this.#path, `${JSON.stringify({ ...this.#owner, sessionId })}\n`, { mode: 0o600 });
      this.#written = sessionId;
    }
  }
}
