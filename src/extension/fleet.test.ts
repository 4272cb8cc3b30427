import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetSnapshot } from '../../test/support/snapshots';
import { toDisposable } from '../core/base/disposable';
import { silentLogger } from '../core/base/logger';
import type { HostApi } from '../core/host/api';
import { Fleet } from './fleet';

let folder: string;
let calls: string[];

/** A host that only writes down what the fleet asks of it. */
function noteTaker(root: string, trusted: boolean): HostApi {
  const note = (call: string): void => {
    calls.push(`${root.slice(folder.length)} ${trusted ? 'trusted' : 'untrusted'} ${call}`);
  };
  const snapshot = fleetSnapshot([], { root });
  const noted = (call: string) => async () => {
    note(call);
    return Promise.resolve(snapshot);
  };
  const done = (call: string) => async () => {
    note(call);
    return Promise.resolve();
  };
  const host: Partial<HostApi> = {
    root,
    getSnapshot: () => snapshot,
    onDidChangeSnapshot: () => toDisposable(() => undefined),
    look: noted('look'),
    refresh: noted('refresh'),
    watch: done('watch'),
    lead: done('lead'),
    shutdown: done('shutdown'),
    dispose: () => undefined,
  };
  return host as HostApi;
}

function fleetOf(open = async (root: string, trusted: boolean) => Promise.resolve(noteTaker(root, trusted))): Fleet {
  return new Fleet({ open, logger: silentLogger });
}

beforeEach(async () => {
  calls = [];
  folder = await mkdtemp(join(tmpdir(), 'rc-fleet-'));
  await mkdir(join(folder, 'one', '.keysarium'), { recursive: true });
  await mkdir(join(folder, 'one', 'below'));
  await mkdir(join(folder, 'two', '.keysarium'), { recursive: true });
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('a window', () => {
  it('has one host per root, however many folders lie below it, and says which do', async () => {
    const fleet = fleetOf();
    const folders = [join(folder, 'one'), join(folder, 'one', 'below'), join(folder, 'two')];
    await fleet.show({ folders, trusted: true });
    expect(fleet.hosts.map((host) => host.root)).toEqual([join(folder, 'one'), join(folder, 'two')]);
    expect(fleet.foldersBelowRoot).toEqual([join(folder, 'one', 'below')]);
    expect(fleet.phase).toBe('ready');
  });

  it('neither leads nor refreshes a registry while it is untrusted', async () => {
    const fleet = fleetOf();
    await fleet.show({ folders: [join(folder, 'one')], trusted: false });
    await fleet.refresh();
    expect(calls).toEqual(['/one untrusted look', '/one untrusted watch', '/one untrusted look']);
  });

  it('opens its roots anew once they are trusted, after the old hosts gave up', async () => {
    const fleet = fleetOf();
    await fleet.show({ folders: [join(folder, 'one')], trusted: false });
    calls = [];
    await fleet.show({ folders: [join(folder, 'one')], trusted: true });
    expect(calls).toEqual(['/one untrusted shutdown', '/one trusted look', '/one trusted watch', '/one trusted lead']);
  });

  it('closes what is no longer shown and leaves the rest alone', async () => {
    const fleet = fleetOf();
    await fleet.show({ folders: [join(folder, 'one'), join(folder, 'two')], trusted: true });
    calls = [];
    await fleet.show({ folders: [join(folder, 'two')], trusted: true });
    expect(calls).toEqual(['/one trusted shutdown']);
  });

  it('keeps no root that failed on the way, so that the next try opens it whole', async () => {
    let broken = true;
    const fleet = fleetOf(async (root, trusted) => {
      const host = noteTaker(root, trusted);
      const watch = async (): Promise<void> => (broken ? Promise.reject(new Error('no more watchers')) : host.watch());
      return Promise.resolve({ ...host, watch });
    });
    await fleet.show({ folders: [join(folder, 'one')], trusted: true });
    expect(fleet.hosts).toEqual([]);
    expect(calls).toContain('/one trusted shutdown');
    broken = false;
    calls = [];
    await fleet.reopen();
    expect(calls).toEqual(['/one trusted look', '/one trusted watch', '/one trusted lead']);
  });

  it('says that it failed when a root cannot be opened, and recovers when asked again', async () => {
    let broken = true;
    const fleet = fleetOf(async (root, trusted) =>
      broken ? Promise.reject(new Error('the disk is gone')) : Promise.resolve(noteTaker(root, trusted)),
    );
    await fleet.show({ folders: [join(folder, 'one')], trusted: true });
    expect(fleet.phase).toBe('failed');
    broken = false;
    await fleet.reopen();
    expect(fleet.phase).toBe('ready');
  });
});
