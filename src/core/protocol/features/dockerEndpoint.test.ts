import { describe, expect, it } from 'vitest';
import { contextIn, dockerEndpoint, hostInContext, readDockerEndpoint } from './dockerEndpoint';

const linux = { platform: 'linux', certFolder: null } as const;

describe('the address of a container engine', () => {
  it.each([
    [null, { kind: 'socket', path: '/var/run/docker.sock' }],
    ['unix:///run/user/1000/docker.sock', { kind: 'socket', path: '/run/user/1000/docker.sock' }],
    ['npipe:////./pipe/docker_engine', { kind: 'socket', path: '//./pipe/docker_engine' }],
    ['tcp://127.0.0.1:4243', { kind: 'tcp', host: '127.0.0.1', port: 4243, certFolder: null }],
    ['tcp://localhost', { kind: 'tcp', host: 'localhost', port: 2375, certFolder: null }],
    ['tcp://[::1]:2375', { kind: 'tcp', host: '::1', port: 2375, certFolder: null }],
  ])('%s is understood', (host, endpoint) => {
    expect(dockerEndpoint({ ...linux, host })).toEqual(endpoint);
  });

  it('is the pipe of the system on Windows', () => {
    const endpoint = dockerEndpoint({ platform: 'win32', certFolder: null, host: null });
    expect(endpoint).toEqual({ kind: 'socket', path: '//./pipe/docker_engine' });
  });

  it('has the port of TLS where there are certificates', () => {
    expect(dockerEndpoint({ ...linux, host: 'tcp://box', certFolder: '/c' })).toEqual({
      kind: 'tcp',
      host: 'box',
      port: 2376,
      certFolder: '/c',
    });
  });

  it.each(['ssh://me@box', 'none:', 'tcp://box/../x', 'tcp://', 'fd://'])('%s is not asked', (host) => {
    expect(dockerEndpoint({ ...linux, host })).toBeNull();
  });

  it('goes through JSON unchanged, and nothing else comes out of it', () => {
    for (const host of [null, 'tcp://box:1']) {
      const endpoint = dockerEndpoint({ ...linux, host });
      expect(readDockerEndpoint(JSON.parse(JSON.stringify(endpoint)))).toEqual(endpoint);
    }
    expect([null, [], {}, { kind: 'socket' }, { kind: 'tcp', host: 'x' }].map(readDockerEndpoint)).toEqual(
      Array(5).fill(null),
    );
  });
});

describe("docker's own configuration", () => {
  it('names the context, unless it is the default one or torn', () => {
    expect(contextIn('{"currentContext": "lab", "auths": {}}')).toBe('lab');
    expect(['{"currentContext": "default"}', '{}', '{"currentCon', ''].map(contextIn)).toEqual(Array(4).fill(null));
  });

  it('names the address of a context', () => {
    expect(hostInContext('{"Name": "lab", "Endpoints": {"docker": {"Host": "unix:///x"}}}')).toBe('unix:///x');
    expect(hostInContext('{"Endpoints": {"kubernetes": {}}}')).toBeNull();
  });
});
