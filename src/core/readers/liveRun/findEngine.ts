import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  contextIn,
  dockerEndpoint,
  type DockerEndpoint,
  type DockerSetting,
  hostInContext,
} from '../../protocol/features/dockerEndpoint';
import { readBounded } from '../../system/boundedRead';

/** What decides which engine the person's `docker` talks to. */
export interface EngineSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home folder, or null where there is none. */
  readonly home: string | null;
  readonly platform: NodeJS.Platform;
}

const CONFIG_MAX_BYTES = 1024 * 1024;

/**
 * The container engine that the person's `docker` would talk to: DOCKER_HOST, else the context of DOCKER_CONTEXT or of
 * docker's configuration, else the system's own. Null where its socket is not there or its kind is not asked.
 */
export async function findEngine(search: EngineSearch): Promise<DockerEndpoint | null> {
  const endpoint = dockerEndpoint(await settingOf(search));
  const isMissing = endpoint?.kind === 'socket' && (await lstat(endpoint.path).catch(() => null)) === null;
  return isMissing ? null : endpoint;
}

async function settingOf({ env, home, platform }: EngineSearch): Promise<DockerSetting> {
  const host = filled(env['DOCKER_HOST']);
  const folder = filled(env['DOCKER_CONFIG']) ?? (home === null ? null : join(home, '.docker'));
  if (host !== null || folder === null) {
    const verified = filled(env['DOCKER_TLS_VERIFY']) !== null;
    return { host, platform, certFolder: verified ? (filled(env['DOCKER_CERT_PATH']) ?? folder) : null };
  }
  const named = filled(env['DOCKER_CONTEXT']) ?? contextIn(await textOf(join(folder, 'config.json')));
  return named === null || named === 'default'
    ? { host: null, platform, certFolder: null }
    : { platform, ...(await contextSetting(folder, named)) };
}

/** A context lies in folders that are named by the hash of its name. */
async function contextSetting(folder: string, name: string): Promise<Omit<DockerSetting, 'platform'>> {
  const id = createHash('sha256').update(name).digest('hex');
  const host = hostInContext(await textOf(join(folder, 'contexts', 'meta', id, 'meta.json')));
  const certFolder = join(folder, 'contexts', 'tls', id, 'docker');
  const hasCerts = (await lstat(certFolder).catch(() => null)) !== null;
  // A context without an address is not the default one: nobody is asked.
  return { host: host ?? 'none:', certFolder: hasCerts ? certFolder : null };
}

async function textOf(path: string): Promise<string> {
  const file = await readBounded(path, CONFIG_MAX_BYTES);
  return file.kind === 'ok' ? file.text : '';
}

function filled(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}
