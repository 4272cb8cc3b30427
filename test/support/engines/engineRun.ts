import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { EngineRequest } from '../../../src/core/engines/engine';
import type { EngineSandbox } from '../../../src/core/engines/engineSandbox';
import type { EngineEvent } from '../../../src/core/protocol/engines/engineEvent';
import { engineExit, type EngineVerdict } from '../../../src/core/protocol/engines/engineExit';
import { foldEngineLine, noEngineFacts, type EngineFacts } from '../../../src/core/protocol/engines/engineFacts';
import { EngineLines } from '../../../src/core/protocol/engines/engineLines';
import type { EngineOrder } from '../../../src/core/protocol/engines/engineOrder';
import { engineStream } from '../../../src/core/protocol/engines/engineStreams';
import { engineRollout } from '../../../src/core/system/engineRollout';
import type { EngineCommand } from '../../../src/core/protocol/keeper/keeperSpec';
import type { ModelServer } from '../modelServer/modelServer';
import type { RealEngineName } from './installEngines';
import { usedOpencodeHome } from './opencodeHome';
import { engineFor, workerType } from './realEngine';

export interface EngineRunOptions {
  readonly name: RealEngineName;
  readonly bin: string;
  readonly server: ModelServer;
  readonly scenario: string;
  /** Holds home, temporary folder and project of the run; used again by a run that resumes. */
  readonly place: string;
  readonly request?: Partial<EngineRequest>;
  readonly env?: Readonly<Record<string, string>>;
  /** Puts something around the command, and says with what it is to be started. */
  readonly wrap?: (command: EngineCommand, sandbox: EngineSandbox) => Promise<EngineCommand>;
}

/** What came of a run. */
export interface EngineRunEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly facts: EngineFacts;
  readonly events: readonly EngineEvent[];
  readonly verdict: EngineVerdict;
  /** All that the program wrote, stderr among it. */
  readonly output: string;
}

/** A real program that runs as a keeper would run it: by its adapter's command, its output in a file. */
export interface EngineRun {
  readonly process: ChildProcess;
  end(): Promise<EngineRunEnd>;
}

export const engineWorkerId = 'wkr-20260301-143022-health-check';

async function unwrapped(command: EngineCommand): Promise<EngineCommand> {
  return await Promise.resolve(command);
}

export async function startEngineRun(options: EngineRunOptions): Promise<EngineRun> {
  const { name, bin, server, scenario, place } = options;
  const [home, temp, root] = ['home', 'tmp', 'project'].map((part) => join(place, part)) as [string, string, string];
  const folder = join(root, '.keysarium', 'workers', engineWorkerId);
  [home, temp, folder].forEach((path) => mkdirSync(path, { recursive: true }));
  usedOpencodeHome(home);
  const { engine, env: endpoint } = engineFor(name, bin, server.urlOf(scenario));
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const env = { PATH: path, HOME: home, TMPDIR: temp, ...endpoint, ...options.env };
  const request = {
    type: workerType,
    workerId: engineWorkerId,
    root,
    folder,
    prompt: 'Do the task.',
    env,
    ...options.request,
  };
  const command = await (options.wrap ?? unwrapped)(engine.commandOf(request), engine.sandboxOf(request));
  const order = engine.orderOf(request);
  const output = join(place, 'output.raw');
  const file = openSync(output, 'w', 0o600);
  const child = spawn(command.command, [...command.args], {
    cwd: command.cwd,
    env: command.env,
    stdio: ['pipe', file, file],
    detached: true,
  });
  closeSync(file);
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  // A program that ends without having read its prompt.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(command.stdin ?? '');
  return {
    process: child,
    end: async () => {
      const [code, signal] = await exit;
      const { facts, events } = readOutput(await readFile(output), order);
      const beside = await engineRollout(order, facts.sessionId);
      const evidence = { code, signal, started: true, stopRequested: false, terminalWord: null, outOfMemory: false };
      const verdict = engineExit({ ...evidence, facts, beside });
      return { code, signal, facts, events, verdict, output: await readFile(output, 'utf8') };
    },
  };
}

interface ReadOutput {
  readonly facts: EngineFacts;
  readonly events: readonly EngineEvent[];
}

/** Reads what a program wrote as a keeper does, in pieces that break lines anywhere. */
function readOutput(output: Uint8Array, order: Pick<EngineOrder, 'stream'>): ReadOutput {
  const lines = new EngineLines();
  const read = engineStream(order.stream);
  const events: EngineEvent[] = [];
  let facts = noEngineFacts;
  const take = (line: string | null): void => {
    const said = line === null ? [{ kind: 'unknown' } as const] : read(line);
    events.push(...said);
    facts = foldEngineLine(facts, said);
  };
  for (let at = 0; at < output.length; at += 1000) {
    lines.push(output.subarray(at, at + 1000)).forEach(take);
  }
  const last = lines.end();
  if (last !== null) {
    take(last);
  }
  return { facts, events };
}
