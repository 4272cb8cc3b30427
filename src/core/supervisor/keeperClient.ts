import type { Disposable } from '../base/disposable';
import type { KeeperEvents, KeeperMethods } from '../protocol/keeper/control';
import type { MailEvents, MailMethods } from '../protocol/keeper/mail';
import { connectControl, type ControlClientOptions } from '../system/controlClient';

/** What one kind of keeper answers: parameters and result of each method. */
type MethodsOf<M> = { readonly [Name in keyof M]: { readonly params: unknown; readonly result: unknown } };

/** A typed conversation with a keeper over its private pipe; `M` is what it answers, `E` what it tells. */
interface Conversation<M extends MethodsOf<M>, E> extends Disposable {
  /** Rejects with a `ControlError`: the keeper's own fault, `closed`, or `timeout`. */
  request<Name extends keyof M>(method: Name, params: M[Name]['params']): Promise<M[Name]['result']>;
  on<Name extends keyof E>(event: Name, listener: (params: E[Name]) => void): Disposable;
  /** Runs once when the pipe ends, also after `dispose()`. */
  onClose(listener: () => void): Disposable;
}

/** With the keeper of anybody. */
export type KeeperClient = Conversation<KeeperMethods, KeeperEvents>;

/** With the keeper of an agent, which has a mailbox too. */
export type AgentKeeperClient = Conversation<KeeperMethods & MailMethods, KeeperEvents & MailEvents>;

/** Opens a keeper's pipe. Rejects with a `ControlError`: `no-answer`, `timeout`, `bad-hello` or `stale-epoch`. */
export async function connectKeeper(options: ControlClientOptions): Promise<KeeperClient> {
  return await converse<KeeperMethods, KeeperEvents>(options);
}

/** The same for an agent's keeper. */
export async function connectAgentKeeper(options: ControlClientOptions): Promise<AgentKeeperClient> {
  return await converse<KeeperMethods & MailMethods, KeeperEvents & MailEvents>(options);
}

async function converse<M extends MethodsOf<M>, E>(options: ControlClientOptions): Promise<Conversation<M, E>> {
  const control = await connectControl(options);
  return {
    // The nonce proves that the other side is our own keeper, so its answers have the shapes of its contract.
    async request<Name extends keyof M>(method: Name, params: M[Name]['params']) {
      return await control.request(String(method), params);
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
