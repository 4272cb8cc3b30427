import type { Disposable } from '../base/disposable';
import type { KeeperEvents, KeeperMethods } from '../protocol/keeper/control';
import type { MailEvents, MailMethods } from '../protocol/keeper/mail';
import { connectControl, type ControlClientOptions } from '../system/controlClient';

type Methods = KeeperMethods & MailMethods;
type Events = KeeperEvents & MailEvents;

/** A typed conversation with the keeper of an agent over its private pipe: that of every keeper, and its mailbox. */
export interface AgentKeeperClient extends Disposable {
  /** Rejects with a `ControlError`: the keeper's own fault, `closed`, or `timeout`. */
  request<M extends keyof Methods>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result']>;
  on<E extends keyof Events>(event: E, listener: (params: Events[E]) => void): Disposable;
  /** Runs once when the pipe ends, also after `dispose()`. */
  onClose(listener: () => void): Disposable;
}

/** Opens an agent's keeper's pipe. Rejects with a `ControlError`: `no-answer`, `timeout`, `bad-hello` or `stale-epoch`. */
export async function connectAgentKeeper(options: ControlClientOptions): Promise<AgentKeeperClient> {
  const control = await connectControl(options);
  return {
    // The nonce proves that the other side is our own keeper, so its answers have the shapes of its contract.
    async request<M extends keyof Methods>(method: M, params: Methods[M]['params']) {
      return (await control.request(method, params)) as Methods[M]['result'];
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
