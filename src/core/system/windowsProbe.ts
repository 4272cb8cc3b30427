import { listingProbe } from './listingProbe';
import type { ProcessProbe, ProcessRow } from './processProbe';
import { runTool } from './runTool';

const LIST_SCRIPT =
  'Get-CimInstance Win32_Process | Where-Object { $_.CreationDate } | ForEach-Object { ' +
  '"$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.ToFileTimeUtc())" }';
const BOOT_SCRIPT = '(Get-CimInstance Win32_OperatingSystem).LastBootUpTime.ToFileTimeUtc()';

/** Rows of our PowerShell listing: pid, parent pid and creation time in 100 ns steps. */
export function parseCimRows(text: string): readonly ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, ppid, startTime] = /^(\d+) (\d+) (\d+)\s*$/.exec(line) ?? [];
    return startTime === undefined ? [] : [{ pid: Number(pid), ppid: Number(ppid), pgid: 0, startTime }];
  });
}

/** Processes as Windows' CIM shows them. */
export function windowsProbe(): ProcessProbe {
  const powershell = async (script: string): Promise<string> =>
    await runTool('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script]);
  return listingProbe(
    async () => parseCimRows(await powershell(LIST_SCRIPT)),
    async () => (await powershell(BOOT_SCRIPT)).trim(),
  );
}
