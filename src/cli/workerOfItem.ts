import { requestNamed } from '../core/presenter/workerItems';

/** The worker that an item of the inbox is about, or the name itself where it is no item. */
export function workerOfItem(item: string): string {
  return /^worker:(.+)$/.exec(item)?.[1] ?? requestNamed(item).worker;
}
