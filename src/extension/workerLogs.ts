import { relative } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable';
import type { HostApi, LogChunk } from '../core/host/api';
import { workerName } from '../core/presenter/features/taskNode';
import { RunLogText } from '../core/presenter/features/runLogText';
import { plainLine, plainLog } from '../core/presenter/plainText';
import type { ShownRoot } from '../core/presenter/shownRoot';
import type { WorkerIdValue } from '../core/protocol/features/workerKey';
import type { AgentSnapshot } from '../core/protocol/actors/sessionSnapshot';
import type { WorkerSnapshot } from '../core/protocol/snapshot';
import type { Fleet } from './fleet';
import { reader } from './reader';
import { readSettings } from './settings';

/** Whose log. */
export interface LogSource {
  /** Unique in its root. */
  readonly name: string;
  /** What the channel is called. */
  readonly title: string;
  /** Hands over the text from its last `tailBytes` on, until disposed. */
  readonly follow: (host: HostApi, tailBytes: number, listener: (chunk: LogChunk) => void) => Disposable;
}

/** A worker of a feature run; without one its orchestrator. */
export interface RunWorker {
  readonly feature: string;
  readonly worker: WorkerIdValue | null;
}

function followNamed(name: string): LogSource['follow'] {
  return (host, tailBytes, listener) => host.followLog(name, tailBytes, listener);
}

interface OpenLog {
  readonly channel: vscode.OutputChannel;
  readonly following: Disposable;
}

function write(channel: vscode.OutputChannel, { text, reset }: LogChunk): void {
  if (reset) {
    channel.replace(plainLog(text));
  } else {
    channel.append(plainLog(text));
  }
}

/** The log of a worker; its start tells two of one type apart. */
export function logOfWorker({ workerId, entry, startedAt }: WorkerSnapshot): LogSource {
  const title = `${plainLine(entry.type, 60)} ${reader().timeOfDay(startedAt)}`;
  return { name: workerId, title, follow: followNamed(workerId) };
}

/** The log of a session agent, through all its runs. */
export function logOfAgent({ name }: AgentSnapshot): LogSource {
  return { name, title: name, follow: followNamed(name) };
}

function runKey({ feature, worker }: RunWorker): string {
  return `run/${feature}/${String(worker ?? '')}`;
}

/** All logs of a worker of a feature run as one readable text. */
export function logOfRun(run: RunWorker): LogSource {
  const name = run.worker === null ? vscode.l10n.t('orchestrator') : workerName(run.worker);
  return {
    name: runKey(run),
    title: `${plainLine(run.feature, 40)} ${name}`,
    follow: (host, tailBytes, listener) => {
      const nameOf = (file: string): string => relative(host.root, file);
      const log = new RunLogText({ feature: run.feature, nameOf, reader: reader() });
      return host.followRunLog(run, tailBytes, (chunk) => {
        const text = log.add(chunk);
        if (text !== '') {
          listener({ text, reset: false });
        }
      });
    },
  };
}

function runNamesOf({ features }: ShownRoot): readonly string[] {
  return (features?.features ?? []).flatMap(({ feature, workers }) =>
    [null, ...workers.map(({ id }) => id)].map((worker) => runKey({ feature, worker })),
  );
}

function keysOf(shown: ShownRoot): readonly string[] {
  const { root, workers, session } = shown;
  const names = [
    ...workers.map(({ workerId }) => workerId),
    ...(session?.agents ?? []).map(({ name }) => name),
    ...runNamesOf(shown),
  ];
  return names.map((name) => `${root}#${name}`);
}

/** One output channel per worker and agent, made when first shown, fed by its log, gone when nobody knows it any more. */
export class WorkerLogs implements Disposable {
  readonly #fleet: Fleet;
  readonly #open = new Map<string, OpenLog>();
  readonly #subscription: Disposable;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#subscription = fleet.onDidChange(() => {
      this.#prune();
    });
  }

  /** Shows a log without taking the keyboard from where it is. */
  show(host: HostApi, source: LogSource): void {
    const key = `${host.root}#${source.name}`;
    const open = this.#open.get(key) ?? this.#follow(host, source);
    this.#open.set(key, open);
    open.channel.show(true);
  }

  dispose(): void {
    this.#subscription.dispose();
    for (const key of [...this.#open.keys()]) {
      this.#close(key);
    }
  }

  #follow(host: HostApi, { title, follow }: LogSource): OpenLog {
    const channel = vscode.window.createOutputChannel(`Rollcall: ${title}`, 'log');
    const following = follow(host, readSettings().logTailBytes, (chunk) => {
      write(channel, chunk);
    });
    return { channel, following };
  }

  #prune(): void {
    const known = new Set(this.#fleet.snapshots.flatMap(keysOf));
    for (const key of [...this.#open.keys()].filter((candidate) => !known.has(candidate))) {
      this.#close(key);
    }
  }

  #close(key: string): void {
    const open = this.#open.get(key);
    open?.following.dispose();
    open?.channel.dispose();
    this.#open.delete(key);
  }
}
