import {
  createScanner,
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import type * as z from 'zod/mini';
import type { ConfigDiagnostic } from './configModel';

const MAX_CHARACTERS = 1024 * 1024;
const MAX_DEPTH = 50;

/** Enough to mend a file by; more would only take time on a hostile one. */
const MAX_DIAGNOSTICS = 100;

/** Types or agents that are read; nobody has as many. */
const MAX_KEYS = 500;

const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

// The numbers of jsonc-parser's SyntaxKind for `{`, `}`, `[`, `]` and the end; its const enum cannot be imported.
const OPENING: ReadonlySet<number> = new Set([1, 3]);
const CLOSING: ReadonlySet<number> = new Set([2, 4]);
const END = 17;

export type ConfigPath = readonly (string | number)[];

/** Which part of a value with a fault is given up: its key, or the whole value. */
export type OnFault = 'leave out the key' | 'leave out the whole';

/** The text of `workers.json` with its places: reads parts of it through shapes and collects what is wrong. */
export class ConfigSource {
  readonly #text: string;
  readonly #root: Node | undefined;
  readonly #diagnostics: ConfigDiagnostic[] = [];

  /** Never throws, whatever `content` is. */
  constructor(content: string) {
    // A blank keeps every offset where it was.
    this.#text = content.startsWith('\uFEFF') ? ` ${content.slice(1)}` : content;
    this.#root = this.#parse();
  }

  /** What was found wrong so far, in the order of the file. */
  get diagnostics(): readonly ConfigDiagnostic[] {
    return this.#diagnostics.toSorted((left, right) =>
      left.line === right.line ? left.column - right.column : left.line - right.line,
    );
  }

  /** Whether the file gives anything at `path`. */
  has(path: ConfigPath): boolean {
    return this.#nodeAt(path) !== undefined;
  }

  /** The first keys of the object at `path`, each once; none where there is no object. */
  keysAt(path: ConfigPath): readonly string[] {
    const node = this.#nodeAt(path);
    const keys = node?.type === 'object' ? Object.keys(plainValue(node) as object) : [];
    if (keys.length > MAX_KEYS) {
      this.reportKey(path, `holds more than ${String(MAX_KEYS)} names; the others were not read`);
    }
    return keys.slice(0, MAX_KEYS);
  }

  /**
   * The value at `path` in the given shape; null where it is absent or was left out. Unknown keys are reported and
   * ignored; other faults are reported and cost what `onFault` says.
   */
  read<T>(path: ConfigPath, shape: z.ZodMiniType<T>, onFault: OnFault): T | null {
    const node = this.#nodeAt(path);
    if (node === undefined) {
      return null;
    }
    const value = plainValue(node);
    this.#dropUnknownKeys(path, value, shape);
    const first = shape.safeParse(value);
    if (first.success) {
      return first.data;
    }
    for (const issue of first.error.issues) {
      this.report([...path, ...plainPath(issue.path)], issue.message);
      deleteAt(value, plainPath(issue.path).slice(0, 1));
    }
    const second = onFault === 'leave out the key' ? shape.safeParse(value) : first;
    return second.success ? second.data : null;
  }

  /** Notes a fault at the value of `path`, or where that is missing at the nearest thing around it. */
  report(path: ConfigPath, message: string): void {
    if (this.#diagnostics.length >= MAX_DIAGNOSTICS) {
      return;
    }
    for (let length = path.length; length >= 0; length -= 1) {
      const node = this.#nodeAt(path.slice(0, length));
      if (node !== undefined) {
        const place = length === path.length ? node : (keyOf(node) ?? node);
        this.#note(path, place.offset, message);
        return;
      }
    }
    this.#note(path, 0, message);
  }

  /** Notes a fault at the key itself. */
  reportKey(path: ConfigPath, message: string): void {
    const full = this.#diagnostics.length >= MAX_DIAGNOSTICS;
    const node = full ? undefined : this.#nodeAt(path);
    const place = node === undefined ? undefined : keyOf(node);
    if (place === undefined) {
      this.report(path, message);
    } else {
      this.#note(path, place.offset, message);
    }
  }

  #parse(): Node | undefined {
    if (this.#text.length > MAX_CHARACTERS) {
      this.#note([], 0, 'is larger than 1 MiB and was not read');
      return undefined;
    }
    if (isTooDeep(this.#text)) {
      this.#note([], 0, `is nested deeper than ${String(MAX_DEPTH)} levels and was not read`);
      return undefined;
    }
    const errors: ParseError[] = [];
    const root = parseTree(this.#text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [first] = errors;
    if (first !== undefined) {
      const what = printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
      this.#note([], first.offset, `is not valid JSON here (${what.toLowerCase()}); what follows may be misread`);
    }
    return root;
  }

  #nodeAt(path: ConfigPath): Node | undefined {
    return this.#root === undefined ? undefined : findNodeAtLocation(this.#root, [...path]);
  }

  #dropUnknownKeys(path: ConfigPath, value: unknown, shape: z.ZodMiniType): void {
    for (const issue of shape.safeParse(value).error?.issues ?? []) {
      const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
      for (const key of keys) {
        const inside = [...plainPath(issue.path), key];
        this.reportKey([...path, ...inside], issue.message);
        deleteAt(value, inside);
      }
    }
  }

  #note(path: ConfigPath, offset: number, message: string): void {
    const before = this.#text.slice(0, offset).split(/\r\n|\n|\r/);
    const name = path.length === 0 ? 'workers.json' : path.join('.');
    const column = (before.at(-1)?.length ?? 0) + 1;
    this.#diagnostics.push({ path: path.join('.'), line: before.length, column, message: `${name} ${message}` });
  }
}

/** A path of a shape's issue; such paths hold keys and list places only. */
function plainPath(path: readonly PropertyKey[]): ConfigPath {
  return path.map((part) => (typeof part === 'number' ? part : String(part)));
}

function keyOf(node: Node): Node | undefined {
  return node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
}

/** The value of a node, built anew; keys that could reach a prototype are left out, of a repeated key the first counts. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') {
    return (node.children ?? []).map(plainValue);
  }
  if (node.type !== 'object') {
    const value: unknown = node.value;
    return value;
  }
  const record: Record<string, unknown> = {};
  for (const { children } of node.children ?? []) {
    const [key, value] = children ?? [];
    const name: unknown = key?.value;
    if (typeof name === 'string' && !UNSAFE_KEYS.has(name) && !Object.hasOwn(record, name) && value !== undefined) {
      record[name] = plainValue(value);
    }
  }
  return record;
}

function deleteAt(value: unknown, path: ConfigPath): void {
  const [key, ...rest] = path;
  if (typeof value !== 'object' || value === null || key === undefined) {
    return;
  }
  if (rest.length === 0) {
    Reflect.deleteProperty(value, key);
  } else {
    deleteAt(Reflect.get(value, key), rest);
  }
}

/** Looks at the brackets alone, because the parser itself would overflow the stack. */
function isTooDeep(text: string): boolean {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    depth += OPENING.has(token) ? 1 : CLOSING.has(token) ? -1 : 0;
    if (depth > MAX_DEPTH) {
      return true;
    }
  }
  return false;
}
