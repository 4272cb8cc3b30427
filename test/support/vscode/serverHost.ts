import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync, writeFileSync, type WriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type HostTargetName, parseHostTarget } from './hostTargets';
import { type InstalledHost, installHost } from './installHost';
import { listProcesses } from './listProcesses';
import { quietSettings } from './quietSettings';
import { runTool } from './runTool';
import { waitUntil } from './waitUntil';

/** How a server host is set up; everything has a default fit for tests. */
export interface ServerHostOptions {
  /** Default: the one that ROLLCALL_UI_TARGET names, else the current one. */
  readonly target?: HostTargetName;
  /** Port to listen on; any free one by default. */
  readonly port?: number;
  /** User settings beside the quiet ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Environment variables that the extension host gets as well. */
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds that an extension host outlives a window that vanished. */
  readonly graceSeconds?: number;
  /** True: the window asks whether its folder is trusted, as it does for people. */
  readonly workspaceTrust?: boolean;
  /** True: the page accepts a test suite to run; it then shows no toasts and no dialogs. */
  readonly testDriver?: boolean;
}

const extensionHostMark = '--type=extensionHost';

/** A real VS Code server on a port of 127.0.0.1, with a user folder of its own that goes when it stops. */
export class ServerHost {
  private server: ChildProcess | undefined;
  private end: Promise<unknown> | undefined;
  private log: WriteStream | undefined;
  private port = 0;

  private constructor(
    readonly install: InstalledHost,
    /** Holds user data, extensions and logs; kept short, because VS Code's sockets are in it. */
    readonly workFolder: string,
    private readonly options: ServerHostOptions,
  ) {}

  /** Prepares a host of the wanted VS Code (installing it if need be) and writes its settings; nothing runs yet. */
  static async create(options: ServerHostOptions = {}): Promise<ServerHost> {
    const install = await installHost(
      options.target ?? parseHostTarget(process.env['ROLLCALL_UI_TARGET'] ?? 'current'),
    );
    const host = new ServerHost(install, await mkdtemp(join(tmpdir(), 'rc-host-')), options);
    mkdirSync(join(host.userData, 'User'), { recursive: true });
    mkdirSync(host.extensionsFolder);
    const settings = JSON.stringify({ ...quietSettings, ...options.settings }, undefined, 2);
    writeFileSync(join(host.userData, 'User', 'settings.json'), settings);
    return host;
  }

  get userData(): string {
    return join(this.workFolder, 'user-data');
  }

  get extensionsFolder(): string {
    return join(this.workFolder, 'extensions');
  }

  /** Host and port of the running server. */
  get authority(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Installs a packed extension; to be called before start. */
  async installVsix(file: string): Promise<void> {
    await runTool(this.install.node, [...this.commonArguments(), '--install-extension', file, '--force'], {
      env: this.environment(),
    });
  }

  /** Resolves once the server listens; rejects with what it printed if it ends instead. */
  async start(): Promise<void> {
    const trust = this.options.workspaceTrust === true ? [] : ['--disable-workspace-trust'];
    const grace = this.options.graceSeconds;
    const args = [
      ...this.commonArguments(),
      ...[
        '--host',
        '127.0.0.1',
        '--port',
        '0',
        '--without-connection-token',
        '--telemetry-level',
        'off',
        '--log',
        'info',
      ],
      '--disable-getting-started-override',
      ...trust,
      ...(grace === undefined ? [] : ['--reconnection-grace-time', String(grace)]),
      ...(this.options.testDriver === true ? ['--enable-smoke-test-driver'] : []),
    ];
    this.log = createWriteStream(join(this.workFolder, 'server.log'));
    // A process group of its own, so that stop() ends what extensions left behind in it.
    this.server = spawn(this.install.node, args, {
      env: this.environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.port = await this.listeningPort(this.server, this.log);
  }

  /** Resolves when the server process has ended, whoever ended it. */
  async ended(): Promise<void> {
    if (this.server !== undefined && this.server.exitCode === null && this.server.signalCode === null) {
      this.end ??= once(this.server, 'exit');
      await this.end;
    }
  }

  /** Address of a window on `folder`; `payload` is handed to the workbench. */
  url(folder: string, payload: Readonly<Record<string, string>> = {}): string {
    const query = new URLSearchParams({ folder: resolve(folder) });
    const entries = Object.entries(payload);
    if (entries.length > 0) {
      query.set('payload', JSON.stringify(entries));
    }
    return `http://${this.authority}/?${query.toString()}`;
  }

  /** The workbench's name for a file of this machine. */
  uri(path: string): string {
    return `vscode-remote://${this.authority}${encodeURI(resolve(path))}`;
  }

  /** Pids of the extension hosts that this server runs now. */
  extensionHostPids(): number[] {
    const server = this.server?.pid;
    return listProcesses()
      .filter((process) => process.group === server && !process.ended && process.command.includes(extensionHostMark))
      .map((process) => process.pid);
  }

  /** Waits for the extension hosts of closed windows: each deactivates its extensions first, for 5 s at most. */
  async extensionHostsGone(): Promise<void> {
    await waitUntil('the extension hosts to end', () => this.extensionHostPids().length === 0, 8_000);
  }

  /** What the server has printed so far. */
  serverLog(): string {
    return readFileSync(join(this.workFolder, 'server.log'), 'utf8');
  }

  /** Ends the server and its extension hosts, in the order that lets extensions deactivate, and removes the work folder. */
  async stop(): Promise<void> {
    const group = this.server?.pid;
    if (this.server !== undefined && group !== undefined) {
      // To the server alone: a signal to the whole group would end the extension hosts before they have deactivated.
      this.server.kill('SIGTERM');
      const cutOff = setTimeout(() => this.server?.kill('SIGKILL'), 8_000);
      await this.ended();
      clearTimeout(cutOff);
      await this.extensionHostsGone().catch(() => undefined); // Those that hang are ended with their group, next.
      killGroup(group);
    }
    this.log?.end();
    await rm(this.workFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private async listeningPort(server: ChildProcess, log: WriteStream): Promise<number> {
    let printed = '';
    const port = new Promise<number>((found, failed) => {
      const read = (chunk: Buffer): void => {
        log.write(chunk);
        printed += chunk.toString('utf8');
        const match = /Extension host agent listening on (\d+)/.exec(printed);
        if (match !== null) {
          found(Number(match[1]));
        }
      };
      server.stdout?.on('data', read);
      server.stderr?.on('data', read);
      server.once('error', failed);
      server.once('exit', (code) => {
        failed(new Error(`the VS Code server ended (${String(code)}) before it listened\n${printed}`));
      });
    });
    return await port;
  }

  private commonArguments(): string[] {
    const folders = ['--server-data-dir', this.workFolder, '--user-data-dir', this.userData];
    const extensions = ['--extensions-dir', this.extensionsFolder];
    return [this.install.serverMain, '--accept-server-license-terms', ...folders, ...extensions];
  }

  private environment(): NodeJS.ProcessEnv {
    const foreign = /^(VSCODE_|ELECTRON_|npm_)|^(NODE_OPTIONS|NODE_CHANNEL_FD|https?_proxy)$/i;
    const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
    return {
      ...Object.fromEntries(own),
      // No marketplace, so no look-ups of one.
      EXTENSIONS_GALLERY: '{}',
      // VS Code's own sockets go where the work folder's removal takes them.
      XDG_RUNTIME_DIR: this.workFolder,
      ...this.options.env,
    };
  }
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}
