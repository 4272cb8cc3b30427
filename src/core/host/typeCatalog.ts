import { join } from 'node:path';
import { configuredType } from '../protocol/config/configuredType';
import {
  type ConfigDiagnostic,
  type ConfigReading,
  readWorkersConfig,
  type WorkersConfig,
} from '../protocol/config/workersConfig';
import { dreamCycleType, protocolTypes } from '../protocol/workers/protocolTypes';
import type { WorkerType } from '../protocol/workers/workerType';
import { findTemplate } from '../registry/templates';
import { type BoundedText, readBounded } from '../system/boundedRead';

const CONFIG_MAX_BYTES = 1024 * 1024;

/** The types that can be started in one root, with what is wrong in their configuration. */
export interface LoadedTypes {
  readonly types: readonly WorkerType[];
  readonly config: WorkersConfig;
  readonly diagnostics: readonly ConfigDiagnostic[];
}

export interface TypeCatalogOptions {
  readonly root: string;
  readonly ownTemplatesDir: string;
  /** In an untrusted workspace the project's own file is not read for anything that runs (config.md). */
  readonly trusted: boolean;
}

/** Knows the worker types: the protocol's four, then those of `.vscode/workers.json`. */
export class TypeCatalog {
  readonly #options: TypeCatalogOptions;
  #last: { readonly text: string; readonly reading: ConfigReading } | null = null;

  constructor(options: TypeCatalogOptions) {
    this.#options = options;
  }

  /** Reads the configuration afresh. A file that is missing or broken leaves the protocol's own types. */
  async load(): Promise<LoadedTypes> {
    const { config, diagnostics } = await this.loadConfig();
    const ofProtocol = [...protocolTypes, ...(await this.#dreamCycle())].map((type) => configuredType(type, config));
    return { types: [...ofProtocol, ...config.types], config, diagnostics };
  }

  /** The configuration alone, which every look asks for: the file is read afresh, and understood again when it changed. */
  async loadConfig(): Promise<ConfigReading> {
    const { text, trouble } = await this.#configText();
    if (this.#last?.text !== text) {
      this.#last = { text, reading: readWorkersConfig(text) };
    }
    const { reading } = this.#last;
    return trouble === null
      ? reading
      : { ...reading, diagnostics: [{ path: '', line: 1, column: 1, message: trouble }, ...reading.diagnostics] };
  }

  /** What `list` shows: `dream-cycle` can be started where the project has its template, but is not a row of ours. */
  async listed(): Promise<readonly WorkerType[]> {
    const { types } = await this.load();
    return types.filter((type) => type.name !== dreamCycleType.name);
  }

  async #configText(): Promise<{ readonly text: string; readonly trouble: string | null }> {
    if (!this.#options.trusted) {
      return { text: '{}', trouble: null };
    }
    const file = await readBounded(join(this.#options.root, '.vscode', 'workers.json'), CONFIG_MAX_BYTES);
    return file.kind === 'ok' ? { text: file.text, trouble: null } : { text: '{}', trouble: troubleOf(file) };
  }

  async #dreamCycle(): Promise<readonly WorkerType[]> {
    const { root, ownTemplatesDir } = this.#options;
    const { template } = dreamCycleType;
    if (template === null) {
      return [];
    }
    const reading = await findTemplate({ root, ownTemplatesDir, type: { ...dreamCycleType, template } });
    return reading.kind === 'ok' ? [dreamCycleType] : [];
  }
}

/** Why the file is not read at all; null where there is none. */
function troubleOf(file: Exclude<BoundedText, { readonly kind: 'ok' }>): string | null {
  switch (file.kind) {
    case 'absent':
      return null;
    case 'too-large':
      return `This file is not read: it has ${String(Math.ceil(file.size / 1024))} KiB, and at most 1024 are read. Make it smaller.`;
    case 'not-a-file':
      return 'This is not read: it is a folder, a link or a pipe. Put a regular file in its place.';
    case 'unreadable':
      return `This file cannot be read (${file.code}). Make it readable for your user.`;
  }
}
