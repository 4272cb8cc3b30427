import type { Clock } from '../../src/core/base/clock';
import { toDisposable } from '../../src/core/base/disposable';

/** A clock that stands until it is told to go so many milliseconds further. */
export function handClock(): Clock & { go(ms: number): void } {
  let time = 0;
  let jobs: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => time,
    monotonic: () => time,
    schedule(delayMs, run) {
      const job = { at: time + delayMs, run };
      jobs.push(job);
      return toDisposable(() => {
        jobs = jobs.filter((one) => one !== job);
      });
    },
    go(ms) {
      const end = time + ms;
      for (;;) {
        const [next] = jobs.filter((job) => job.at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) {
          break;
        }
        jobs = jobs.filter((job) => job !== next);
        time = next.at;
        next.run();
      }
      time = end;
    },
  };
}
