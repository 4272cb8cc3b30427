import { plainRecord } from '../core/protocol/workers/plainRecord';
import type { KeeperBeat } from '../core/protocol/keeper/control';
import type { StopReceipt } from '../core/protocol/keeper/stopReceipt';
import { ControlError } from '../core/system/controlMessage';
import { serveControl, type ControlMethod, type ControlPeer, type ControlServer } from '../core/system/controlServer';

export interface KeeperPipeOptions {
  readonly endpoint: string;
  readonly nonce: string;
  /** Highest epoch obeyed so far. */
  readonly epoch: () => number;
  /** A leader with a higher epoch has come. */
  readonly onEpoch: (epoch: number) => void;
  readonly beat: () => KeeperBeat;
  readonly stop: (requestedBy: string, force: boolean) => Promise<StopReceipt>;
  readonly onFollowed: (followed: boolean) => void;
  /** More that it can be asked. */
  readonly methods: Readonly<Record<string, ControlMethod>>;
}

/** The keeper's side of the control protocol: `beat`, `stop` and `follow` (control.ts), and what else it keeps. */
export async function openKeeperPipe(options: KeeperPipeOptions): Promise<ControlServer> {
  const followers = new Set<ControlPeer>();
  const follow = (peer: ControlPeer, on: boolean): void => {
    const changed = on ? followers.size !== followers.add(peer).size : followers.delete(peer);
    if (changed) {
      options.onFollowed(followers.size > 0);
    }
  };
  const methods: Readonly<Record<string, ControlMethod>> = {
    ...options.methods,
    beat: () => options.beat(),
    stop: async (params, peer) => await stop(options, params, peer),
    follow: (params, peer) => {
      follow(peer, plainRecord(params)?.['on'] === true);
    },
  };
  return await serveControl({
    endpoint: options.endpoint,
    nonce: options.nonce,
    minEpoch: options.epoch,
    methods,
    onConnection: (peer) => {
      if (peer.epoch > options.epoch()) {
        options.onEpoch(peer.epoch);
      }
    },
    onDisconnect: (peer) => {
      follow(peer, false);
    },
  });
}

async function stop(options: KeeperPipeOptions, params: unknown, peer: ControlPeer): Promise<StopReceipt> {
  if (peer.epoch === 0) {
    throw new ControlError({
      code: 'not-leader',
      message: 'Only the process that leads may stop a worker; ask that one.',
    });
  }
  const { requestedBy, force } = plainRecord(params) ?? {};
  if (typeof requestedBy !== 'string' || typeof force !== 'boolean') {
    throw new ControlError({ code: 'bad-request', message: 'A stop needs requestedBy and force.' });
  }
  return await options.stop(requestedBy, force);
}
