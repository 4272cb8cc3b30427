import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/core/base/clock';
import { silentLogger } from '../../src/core/base/logger';
import type { KeeperSpec } from '../../src/core/protocol/keeper/keeperSpec';
import type { ProcessIdentity } from '../../src/core/protocol/keeper/processIdentity';
import type { WorkerSnapshot } from '../../src/core/protocol/snapshot';
import type { WorkerFacts } from '../../src/core/protocol/workerFacts';
import { formatTimestamp } from '../../src/core/protocol/workers/timestamp';
import { FactsReader } from '../../src/core/readers/factsReader';
import { deriveWorker } from '../../src/core/supervisor/deriveWorker';
import { createSupervisor, type Supervisor } from '../../src/core/supervisor/supervisor';
import { lostRecord, takeOverSpec } from '../../src/core/supervisor/takeOverSpec';
import { livenessOf } from '../../src/core/system/processIdentity';
import { anEntry, WORKER_ID } from './workerFacts';

const MEGABYTE = 1024 * 1024;
const clock = systemClock({ unref: true });

/** Programs of workers, run as `node -e`; their folder of work is the project's root, their own folder argv[1]. */
export const WORKER_PROGRAMS = {
  /** Ends with 0 once it sees its stop flag. */
  obeys: `
    const { existsSync } = require('node:fs');
    console.log('working');
    setInterval(() => existsSync(process.argv[1] + '/stop-requested') && process.exit(0), 20);`,
  /** Ends by nothing less than a SIGKILL. */
  stubborn: `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('working');`,
  /** Has a child in a session of its own; the file `child` names it. */
  forks: `
    const { writeFileSync } = require('node:fs');
    const options = { detached: true, stdio: 'inherit' };
    const child = require('node:child_process').spawn('sleep', ['1000'], options);
    writeFileSync(process.argv[1] + '/child', String(child.pid));`,
  /** Ends with 3 when somebody makes the file `end` in its folder. */
  endsWhenTold: `
    const { existsSync } = require('node:fs');
    console.log('working');
    setInterval(() => existsSync(process.argv[1] + '/end') && process.exit(3), 20);`,
} as const;

/** One worker's place on the disk, with real keepers, seen as a host would see it. */
export class KeptWorker {
  readonly #root: string;
  readonly #keeperScript: string;
  readonly #reader = new FactsReader(clock);
  readonly folder: string;

  constructor(root: string, keeperScript: string) {
    this.#root = root;
    this.#keeperScript = keeperScript;
    this.folder = join(root, '.keysarium', 'workers', WORKER_ID);
    mkdirSync(join(this.folder, 'output'), { recursive: true });
  }

  spec(program: string, parts: Partial<KeeperSpec> = {}): KeeperSpec {
    return {
      v: 1,
      workerId: WORKER_ID,
      type: 'health-check',
      root: this.#root,
      folder: this.folder,
      nonce: '5a'.repeat(16),
      epoch: 1,
      startedAt: formatTimestamp(Date.now()),
      command: {
        command: process.execPath,
        args: ['-e', program, this.folder],
        env: { PATH: process.env['PATH'] ?? '' },
        cwd: this.#root,
        stdin: null,
      },
      secrets: [],
      graceMs: 60_000,
      termGraceMs: 60_000,
      limits: { rawBytes: MEGABYTE, logBytes: MEGABYTE, logFiles: 3 },
      runtimeDir: join(this.#root, 'run'),
      adopt: null,
      ...parts,
    };
  }

  /** A supervisor with everything real; `look` finds this one worker. */
  supervisor(): Supervisor {
    return createSupervisor({
      clock,
      logger: silentLogger,
      record: () => undefined,
      nodePath: process.execPath,
      keeperScript: this.#keeperScript,
      env: { PATH: process.env['PATH'] ?? '' },
      look: async () => await this.facts(),
      takeOverSpec: ({ keeper, entry, folder }, epoch) => {
        const record = keeper?.record ?? lostRecord(entry.worker_id, entry.started_at, '6b'.repeat(16));
        return takeOverSpec(record, { ...this.spec(''), folder, epoch });
      },
    });
  }

  async facts(): Promise<WorkerFacts> {
    const entry = anEntry({ started_at: formatTimestamp(Date.now()) });
    return await this.#reader.read({ entry, folder: this.folder, folderChangedAt: 0, safe: true, rowProblem: null });
  }

  async snapshot(): Promise<WorkerSnapshot> {
    return deriveWorker(await this.facts(), Date.now());
  }

  /** Kills the keeper and the worker that the record names, each by its identity. */
  async end(): Promise<void> {
    const record = (await this.facts()).keeper?.record;
    for (const identity of record === undefined ? [] : [record.keeper, record.process]) {
      if (identity !== null) {
        await killIdentity(identity);
      }
    }
  }
}

/** Kills this very process, if it still lives, and waits until it is gone. */
export async function killIdentity(identity: ProcessIdentity): Promise<void> {
  if ((await livenessOf(identity)) === 'alive') {
    process.kill(identity.pid, 'SIGKILL');
  }
  while ((await livenessOf(identity)) === 'alive') {
    await new Promise((resolve) => {
      clock.schedule(10, () => {
        resolve(undefined);
      });
    });
  }
}
