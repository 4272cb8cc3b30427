import { readFileSync } from 'node:fs';

/** What one process has in memory, bytes. */
export interface ProcessMemory {
  readonly residentBytes: number;
  /** The most it ever had. */
  readonly peakBytes: number;
}

/** Null for a process that is gone, and on systems without `/proc`. */
export function processMemory(pid: number, proc = '/proc'): ProcessMemory | null {
  try {
    return parseMemory(readFileSync(`${proc}/${String(pid)}/status`, 'latin1'));
  } catch {
    // It ended, or this system tells it in another way.
    return null;
  }
}

/** Reads `/proc/<pid>/status`; null for a zombie, which has no memory any more. */
export function parseMemory(status: string): ProcessMemory | null {
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
  const [residentBytes, peakBytes] = [bytes('VmRSS'), bytes('VmHWM')];
  return Number.isNaN(residentBytes) || Number.isNaN(peakBytes) ? null : { residentBytes, peakBytes };
}
