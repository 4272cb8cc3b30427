import { readFileSync } from 'node:fs';

/** How often the kernel has killed something in this process's control group for want of memory; 0 when not known. */
export function oomKills(proc = '/proc', cgroupRoot = '/sys/fs/cgroup'): number {
  const groups = textOf(`${proc}/self/cgroup`).split('\n');
  return Math.max(0, ...groups.map((line) => killsIn(counterFile(line, cgroupRoot))));
}

/** Where the counter of one line of `/proc/self/cgroup` is; null for controllers that have none. */
export function counterFile(line: string, cgroupRoot: string): string | null {
  const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
  if (path === undefined) {
    return null;
  }
  if (controllers === '') {
    return `${cgroupRoot}${path}/memory.events`;
  }
  return controllers === 'memory' ? `${cgroupRoot}/memory${path}/memory.oom_control` : null;
}

function killsIn(file: string | null): number {
  return file === null ? 0 : Number(/^oom_kill (\d+)$/m.exec(textOf(file))?.[1] ?? 0);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Other platforms and other cgroup layouts have no such file: then there is no evidence.
    return '';
  }
}
