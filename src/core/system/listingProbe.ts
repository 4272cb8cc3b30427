import type { ProcessProbe, ProcessRow } from './processProbe';
import { singleFlight } from './runTool';

/** A probe for platforms where the only way to learn about a process is a listing of all of them by a tool. */
export function listingProbe(listAll: () => Promise<readonly ProcessRow[]>, boot: () => Promise<string>): ProcessProbe {
  const list = singleFlight(listAll);
  let bootId: Promise<string> | undefined;
  return {
    async bootId() {
      bootId ??= boot();
      return await bootId;
    },
    list,
    async look(pid) {
      try {
        const row = (await list()).find((candidate) => candidate.pid === pid);
        return row === undefined ? { kind: 'gone' } : { kind: 'running', row };
      } catch {
        // The tool failed: nothing is known, and unknown must never read as dead.
        return { kind: 'unclear' };
      }
    },
    childrenOf: () => [],
    environmentOf: () => ({}),
    hasEnvMarker: () => false,
  };
}
