import { expect, it } from 'vitest';
import { agentSnapshot, sessionSnapshot } from '../../../test/support/sessionSnapshots';
import { fleetSnapshot } from '../../../test/support/snapshots';
import { Emitter } from '../../core/base/emitter';
import type { HostApi } from '../../core/host/api';
import type { FleetSnapshot } from '../../core/protocol/snapshot';
import type { CliContext } from '../cliContext';
import { sessionStart } from './session';

/** A host whose looks come one after the other; one from before the start is still on its way. */
function hostWithLateLook(): { readonly host: HostApi; readonly tell: (running: boolean) => void } {
  const changed = new Emitter<FleetSnapshot>(() => undefined);
  const late = ['before'];
  let now = fleetSnapshot([], { session: sessionSnapshot([agentSnapshot({ state: null })], { running: false }) });
  const tell = (running: boolean): void => {
    now = { ...now, session: sessionSnapshot([agentSnapshot({ state: null })], { running }) };
    changed.fire(now);
  };
  const host: Partial<HostApi> = {
    look: async () => {
      await Promise.resolve();
      tell(late.pop() === undefined);
      tell(true);
      return Promise.resolve({ ...now, leader: null });
    },
    getSnapshot: () => now,
    onDidChangeSnapshot: changed.event,
    watch: async () => Promise.resolve(),
    lead: async () => Promise.resolve(),
    shutdown: async () => Promise.resolve(),
    session: {
      start: async () => {
        late.push('before');
        return Promise.resolve({
          ok: true,
          value: { message: 'The session has started.', agents: [], messageId: null },
        });
      },
    } as unknown as HostApi['session'],
  };
  return { host: host as HostApi, tell };
}

it('session start leads on where it hears of a look from before the start, and leaves when the session is over', async () => {
  const { host, tell } = hostWithLateLook();
  const context: CliContext = {
    out: () => undefined,
    outRaw: () => undefined,
    err: () => undefined,
    colour: false,
    interrupted: () => new AbortController().signal,
    openHost: async () => Promise.resolve(host),
  };
  let left: number | null = null;
  const ended = sessionStart(context, {}).then((code) => {
    left = code;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(left).toBeNull();
  tell(false);
  await ended;
  expect(left).toBe(0);
});
