import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endKeepersOf } from '../support/endKeepersOf';
import { openWindowHost } from '../support/openWindowHost';
import { type Bench, type BenchContext, type BenchRow, median, percentile } from './bench';

type Mode = 'latency' | 'rate';

/** What is measured: pairs of talkers, so many messages from each of them. */
interface Talk {
  readonly mode: Mode;
  readonly talkers: number;
  readonly each: number;
  readonly rounds: number;
}

/** Their bundles. */
interface Scripts {
  readonly talker: string;
  readonly relay: string;
}

/** What each talker noted (talkerScript.ts). */
type Notes = readonly (readonly number[])[];

const RATE_TALKERS = 20;
const LOOK_MS = 50;
/** A talk that does not end is an error of the product. */
const LIMIT_MS = 300_000;

/**
 * Messages between agents, through both keepers and the process that leads, each in the log before it is delivered: how
 * long one takes, and how many go through, against a bare relay of two sockets.
 */
export const messages: Bench = {
  name: 'messages',
  run: async (context) => {
    const { short } = context;
    const scripts = { talker: await context.script('talkerScript'), relay: await context.script('relayScript') };
    const bench = new Talks(context, scripts);
    const latency = await bench.both({ mode: 'latency', talkers: 2, each: short ? 300 : 3_000, rounds: short ? 1 : 5 });
    const rate = await bench.both({
      mode: 'rate',
      talkers: RATE_TALKERS,
      // Forty processes begin cold: with few messages it is their compilers that are measured.
      each: short ? 500 : 15_000,
      rounds: short ? 1 : 3,
    });
    return [latencyRow(latency, 0.5, 4), latencyRow(latency, 0.99, 6), rateRow(rate)];
  },
};

interface Figures {
  readonly ours: readonly Notes[];
  readonly relay: readonly Notes[];
}

function latencyRow({ ours, relay }: Figures, share: number, limit: number): BenchRow {
  const figure = (rounds: readonly Notes[]): number => median(rounds.map((notes) => percentile(notes.flat(), share)));
  return {
    title: `message from agent to agent, logged, p${String(share * 100)}`,
    unit: 'µs',
    value: figure(ours),
    reference: { title: 'bare relay', value: figure(relay) },
    bars: [{ of: 'ratio', limit }],
    note: null,
  };
}

function rateRow({ ours, relay }: Figures): BenchRow {
  const figure = (rounds: readonly Notes[]): number => median(rounds.map(perSecond));
  return {
    title: `messages between ${String(RATE_TALKERS)} agents, routed and logged`,
    unit: '/s',
    value: figure(ours),
    reference: { title: 'bare relay', value: figure(relay) },
    bars: [
      { of: 'ratio', limit: 0.25, least: true },
      { of: 'value', limit: 10_000, least: true },
    ],
    note: null,
  };
}

/** From the first beginning to the last end; each talker's third number is how many it heard. */
function perSecond(notes: Notes): number {
  const from = Math.min(...notes.map(([begun = 0]) => begun));
  const to = Math.max(...notes.map(([, ended = 0]) => ended));
  const heard = notes.reduce((sum, [, , count = 0]) => sum + count, 0);
  return (heard * 1e9) / (to - from);
}

class Talks {
  readonly #context: BenchContext;
  readonly #scripts: Scripts;
  #round = 0;

  constructor(context: BenchContext, scripts: Scripts) {
    this.#context = context;
    this.#scripts = scripts;
  }

  /** Both take turns, so that both meet the same noise. */
  async both(talk: Talk): Promise<Figures> {
    const figures: { readonly ours: Notes[]; readonly relay: Notes[] } = { ours: [], relay: [] };
    for (let round = 0; round < talk.rounds; round += 1) {
      figures.relay.push(await this.#overRelay(talk));
      figures.ours.push(await this.#overSession(talk));
    }
    return figures;
  }

  async #overRelay(talk: Talk): Promise<Notes> {
    const folder = this.#newFolder();
    const socket = join(folder, 'relay');
    const relay = spawn(process.execPath, [this.#scripts.relay, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    const talkers: ChildProcess[] = [];
    try {
      await once(relay.stdout, 'data');
      for (const name of namesOf(talk)) {
        talkers.push(spawn(process.execPath, this.#command(talk, folder, name, socket), { stdio: 'inherit' }));
      }
      return await notesOf(talk, folder);
    } finally {
      [relay, ...talkers].forEach((process) => process.kill('SIGKILL'));
    }
  }

  async #overSession(talk: Talk): Promise<Notes> {
    const root = this.#newFolder();
    const agents = namesOf(talk).map((name) => [
      name,
      { command: [process.execPath, ...this.#command(talk, root, name, 'session')], start: 'session' },
    ]);
    mkdirSync(join(root, '.vscode'));
    writeFileSync(
      join(root, '.vscode', 'workers.json'),
      JSON.stringify({
        version: 1,
        agents: Object.fromEntries(agents) as unknown,
        session: { compatiblePipeNames: false },
      }),
    );
    const host = await openWindowHost(root, { distDir: this.#context.distDir });
    try {
      await host.watch();
      await host.lead();
      const started = await host.session.start({ requestedBy: 'vscode' });
      if (!started.ok) {
        throw new Error(started.error.message);
      }
      return await notesOf(talk, root);
    } finally {
      await host.shutdown();
      await endKeepersOf(root);
    }
  }

  #command({ mode, each }: Talk, folder: string, name: string, wire: string): readonly string[] {
    return [this.#scripts.talker, folder, name, partnerOf(name), mode, String(each), wire];
  }

  #newFolder(): string {
    const folder = join(this.#context.tempDir, `talk-${String((this.#round += 1))}`);
    mkdirSync(folder);
    return folder;
  }
}

function namesOf({ talkers }: Talk): readonly string[] {
  return Array.from({ length: talkers }, (_none, index) => `a${String(index)}`);
}

/** Of a0 and a1, a2 and a3, … the other one. */
function partnerOf(name: string): string {
  return `a${String(Number(name.slice(1)) ^ 1)}`;
}

/** Lets them begin once all are there, and gives what they noted once all have. */
async function notesOf(talk: Talk, folder: string): Promise<Notes> {
  const names = namesOf(talk);
  const all = async (end: string): Promise<void> => {
    const from = performance.now();
    while (!names.every((name) => existsSync(join(folder, `${name}.${end}`)))) {
      if (performance.now() - from > LIMIT_MS) {
        throw new Error(`Not all of ${names.join(', ')} came to be ${end}.`);
      }
      await pause(LOOK_MS);
    }
  };
  await all('ready');
  writeFileSync(join(folder, 'go'), '');
  await all('done');
  return names.map((name) => JSON.parse(readFileSync(join(folder, `${name}.part`), 'utf8')) as readonly number[]);
}
