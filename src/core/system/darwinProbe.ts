import { listingProbe } from './listingProbe';
import type { ProcessProbe, ProcessRow } from './processProbe';
import { runTool } from './runTool';

/** Rows of `ps -axo pid=,ppid=,pgid=,stat=,lstart=`. Zombies and lines of another shape are left out. */
export function parsePsRows(text: string): readonly ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*\S)\s*$/.exec(line);
    const [, pid, ppid, pgid, state, startTime] = match ?? [];
    if (startTime === undefined || state === undefined || state.startsWith('Z')) {
      return [];
    }
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), startTime: startTime.replace(/\s+/g, ' ') }];
  });
}

/** Processes as `ps` shows them; for macOS and other systems without `/proc`. */
export function darwinProbe(): ProcessProbe {
  // A fixed zone and language, so that the same process reads the same in every shell.
  const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C' };
  return listingProbe(
    async () => parsePsRows(await runTool('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], env)),
    async () => (await runTool('sysctl', ['-n', 'kern.boottime'], env)).trim(),
  );
}
