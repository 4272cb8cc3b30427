import type { Disposable } from '../base/disposable';
import type { KeeperEvents, KeeperMethods } from '../protocol/keeper/control';
import { connectControl, type ControlClientOptions } from '../system/controlClient';

/** A typed conversation with one keeper over its private pipe. */
export interface KeeperClient extends Disposable {
  /** Rejects with a `ControlError`: the keeper's own fault, `closed`, or `timeout`. */
  request<M extends keyof KeeperMethods>(
    method: M,
    params: KeeperMethods[M]['params'],
  ): Promise<KeeperMethods[M]['result']>;
  on<E extends keyof KeeperEvents>(event: E, listener: (params: KeeperEvents[E]) => void): Disposable;
  /** Runs once when the pipe ends, also after `dispose()`. */
  onClose(listener: () => void): Disposable;
}

/** Opens a keeper's pipe. Rejects with a `ControlError`: `no-answer`, `timeout`, `bad-hello` or `stale-epoch`. */
export async function connectKeeper(options: ControlClientOptions): Promise<KeeperClient> {
  const control = await connectControl(options);
  return {
    // The nonce proves that the other side is our own keeper, so its answers have the shapes of its contract.
    async request<M extends keyof KeeperMethods>(method: M, params: KeeperMethods[M]['params']) {
      return (await control.request(method, params)) as KeeperMethods[M]['result'];
    },
    on: (event, listener) =>
      control.onEvent((message) => {
        if (message.event === event) {
          listener(message.params as Parameters<typeof listener>[0]);
        }
      }),
    onClose: (listener) =>
      control.onClose(() => {
        listener();
      }),
    dispose() {
      control.dispose();
    },
  };
}
