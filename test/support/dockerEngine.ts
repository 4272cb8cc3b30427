import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findOnPath, setupSystem } from '../../scripts/setupSystem.mjs';

/** Why the tests with a real container engine cannot run here, or null. An engine needs root. */
export const noDocker = troubleWithDocker();

function troubleWithDocker(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    const trouble = 'only root on Linux can start an engine of its own';
    process.stderr.write(`skipped: tests with a container engine, because ${trouble}\n`);
    return trouble;
  }
  if (!setupSystem(['docker'], (line) => process.stderr.write(`${line}\n`))) {
    throw new Error('There is no Docker engine. Run `node scripts/setupSystem.mjs docker` and try again.');
  }
  return null;
}

/** Made of one static busybox. */
export const image = 'rollcall-test:1';

/** A real engine with one tiny image and no network, in a folder of its own, that ends with the tests. */
export class DockerEngine {
  readonly #folder = mkdtempSync(join(tmpdir(), 'rc-docker-'));
  #daemon: ChildProcess;
  #ended: Promise<void>;

  constructor() {
    [this.#daemon, this.#ended] = this.#run();
  }

  #run(): [ChildProcess, Promise<void>] {
    const at = (name: string): string => join(this.#folder, name);
    const log = openSync(at('log'), 'w');
    const args = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid'), '-H', this.host];
    const bare = ['--live-restore', '--storage-driver=vfs', '--bridge=none', '--iptables=false', '--ip6tables=false'];
    const daemon = spawn('dockerd', [...args, ...bare], { stdio: ['ignore', log, log] });
    const ended = new Promise<void>((resolve) => {
      daemon.once('close', () => {
        resolve();
      });
    });
    return [daemon, ended];
  }

  /** As in DOCKER_HOST. */
  get host(): string {
    return `unix://${join(this.#folder, 'docker.sock')}`;
  }

  /** Runs `docker <args>`; gives what it printed. */
  docker(...args: readonly string[]): string {
    return execFileSync('docker', args, {
      env: this.#env(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  /** Resolves once the engine answers and has its image. */
  async ready(): Promise<void> {
    await this.#answers();
    this.#importImage();
  }

  /** It goes away; what runs in it goes on. */
  async goAway(): Promise<void> {
    this.#daemon.kill('SIGTERM');
    await this.#ended;
  }

  /** It comes back, and knows what it knew. */
  async comeBack(): Promise<void> {
    [this.#daemon, this.#ended] = this.#run();
    await this.#answers();
  }

  async #answers(): Promise<void> {
    await vi.waitFor(
      () => {
        const asked = spawnSync('docker', ['info'], { env: this.#env() });
        if (asked.status !== 0) {
          throw new Error(`dockerd does not answer: ${readFileSync(join(this.#folder, 'log'), 'utf8').slice(-1500)}`);
        }
      },
      { timeout: 45_000, interval: 200 },
    );
  }

  #importImage(): void {
    const bin = join(this.#folder, 'image', 'bin');
    mkdirSync(bin, { recursive: true });
    cpSync(findOnPath(['busybox']) ?? '', join(bin, 'busybox'), { dereference: true });
    symlinkSync('busybox', join(bin, 'sh'));
    const tar = join(this.#folder, 'image.tar');
    execFileSync('tar', ['-C', join(this.#folder, 'image'), '-cf', tar, '.']);
    this.docker('import', tar, image);
  }

  removeContainers(): void {
    const ids = this.docker('ps', '-aq')
      .split('\n')
      .filter((id) => id !== '');
    if (ids.length > 0) {
      this.docker('rm', '-f', ...ids);
    }
  }

  async stop(): Promise<void> {
    await this.goAway();
    // It mounts its folder over itself and leaves that behind; where it did not, this says so and changes nothing.
    spawnSync('umount', ['-l', join(this.#folder, 'data')]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #env(): NodeJS.ProcessEnv {
    return { ...process.env, DOCKER_HOST: this.host, DOCKER_CONFIG: this.#folder };
  }
}
