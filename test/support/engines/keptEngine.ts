import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { EngineRequest } from '../../../src/core/engines/engine';
import type { EngineSandbox } from '../../../src/core/engines/engineSandbox';
import { sandboxed, type SandboxProgram } from '../../../src/core/engines/isolation/sandboxed';
import type {
  AnswerRecord,
  AskRecord,
  EngineRecord,
  KeptEngineOrder,
} from '../../../src/core/protocol/engines/keptEngine';
import type { ExitRecord } from '../../../src/core/protocol/keeper/exitRecord';
import type { IsolationOrder } from '../../../src/core/protocol/keeper/isolationOrder';
import type { KeeperSpec } from '../../../src/core/protocol/keeper/keeperSpec';
import { sandboxBoxOf } from '../../../src/core/system/sandboxBox';
import { promptFor } from '../../../src/core/protocol/workers/template';
import { eventually, type KeeperRig, type KeeperUnderTest, WORKER_ID } from '../keeperRig';
import type { ModelServer } from '../modelServer/modelServer';
import type { RealEngineName } from './installEngines';
import { usedOpencodeHome } from './opencodeHome';
import { engineFor, workerType } from './realEngine';

export interface KeptEngineOptions {
  readonly name: RealEngineName;
  readonly bin: string;
  readonly server: ModelServer;
  readonly scenario: string;
  /** Holds the home and the temporary folder of the run; used again by one that resumes. */
  readonly place: string;
  readonly request?: Partial<EngineRequest>;
  /** In the environment of the run, over what is there. */
  readonly env?: Readonly<Record<string, string>>;
  readonly order?: Partial<KeptEngineOrder>;
  readonly spec?: Partial<KeeperSpec>;
  /** The program of our sandbox, which then stands around the run. */
  readonly sandbox?: SandboxProgram;
}

/** The spec of a keeper for a real program, as the host makes it. */
export function engineSpec(rig: KeeperRig, options: KeptEngineOptions): KeeperSpec {
  const { name, bin, server, scenario, place, sandbox } = options;
  // Not one in the other: codex makes no helpers of its own in a temporary folder.
  const [HOME, TMPDIR] = [join(place, 'home'), join(place, 'tmp')];
  [HOME, TMPDIR].forEach((folder) => mkdirSync(folder, { recursive: true }));
  usedOpencodeHome(HOME);
  const { engine, env: endpoint } = engineFor(name, bin, server.urlOf(encodeURIComponent(scenario)));
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const isSandboxed = sandbox !== undefined;
  const request: EngineRequest = {
    isSandboxed,
    type: workerType,
    workerId: WORKER_ID,
    root: rig.root,
    folder: rig.folder,
    prompt: promptOf(workerType.name, rig.root),
    env: { PATH: path, HOME, TMPDIR, ...endpoint, ...options.env },
    ...options.request,
  };
  const order = { ...engine.orderOf(request), answerMs: 60_000, startMs: 600_000, ...options.order };
  const command = engine.commandOf(request);
  const spec = { ...rig.spec(options.spec), command, engine: order };
  return isSandboxed ? { ...spec, isolation: boxed(spec, engine.sandboxOf(request), sandbox) } : spec;
}

/** As the host puts the sandbox around a worker. */
function boxed(
  { command, root, folder, runtimeDir }: KeeperSpec,
  engine: EngineSandbox,
  program: SandboxProgram,
): IsolationOrder {
  return sandboxed(command, {
    program,
    box: sandboxBoxOf(runtimeDir, folder),
    root,
    folder,
    mayWrite: [],
    home: command.env['HOME'] ?? null,
    hosts: [],
    engine: { ...engine, protects: engine.protects.filter((path) => existsSync(path)) },
  });
}

function promptOf(type: string, root: string): string {
  const template = readFileSync(new URL(`../../../media/worker-templates/${type}.md`, import.meta.url), 'utf8');
  const outputDir = `.keysarium/workers/${WORKER_ID}`;
  return promptFor({ template, type: { ...workerType, name: type }, workerId: WORKER_ID, root, outputDir });
}

/** The end of the last start, once the keeper has left. */
export async function exitOf(rig: KeeperRig, keeper: KeeperUnderTest): Promise<ExitRecord> {
  await keeper.ended;
  const exit = (await rig.mustRecord()).attempts.at(-1)?.exit ?? null;
  if (exit === null) {
    throw new Error('the keeper left without the record of an end');
  }
  return exit;
}

/** What the record tells of the program's output. */
export async function engineOf(rig: KeeperRig): Promise<EngineRecord> {
  const { engine } = await rig.mustRecord();
  if (engine === undefined) {
    throw new Error('the record tells nothing of an engine');
  }
  return engine;
}

/** Waits for the program to ask a person something. */
export async function firstAsk(rig: KeeperRig): Promise<AskRecord> {
  return await eventually(async () => {
    const [ask] = (await engineOf(rig)).asks;
    if (ask === undefined) {
      throw new Error('it asks nothing yet');
    }
    return ask;
  });
}

/** Gives a person's answer through the keeper's pipe. */
export async function answer(
  rig: KeeperRig,
  given: { readonly requestId: string; readonly allow: boolean; readonly text?: string },
): Promise<AnswerRecord> {
  const client = await rig.connect();
  return (await client.request('answer', { text: null, by: 'cli', ...given })) as AnswerRecord;
}

/** What a person, a bundle or an event could get to see of a worker: every file in its folder but the raw output. */
export function shownFiles(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'output.raw')
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(name, 'utf8')]));
}
