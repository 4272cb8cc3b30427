/** Where a text is read; decides which words name a command. */
export type Surface = 'slash' | 'cli' | 'vscode' | 'mcp';

/** What a surface calls its commands. */
export interface SurfaceWords {
  readonly start: string;
  readonly status: string;
  readonly stop: string;
  readonly list: string;
}

/** The commands of each surface in its own words (workers.md §3). */
export const surfaceWords: Readonly<Record<Surface, SurfaceWords>> = {
  slash: {
    start: '/workers start <type>',
    status: '/workers status',
    stop: '/workers stop <id>',
    list: '/workers list',
  },
  cli: {
    start: 'rollcall start <type>',
    status: 'rollcall status',
    stop: 'rollcall stop <id>',
    list: 'rollcall list',
  },
  vscode: {
    start: 'Workers: Start worker…',
    status: 'Workers: Status',
    stop: 'Workers: Stop worker…',
    list: 'Workers: List types',
  },
  mcp: {
    start: 'start_worker <type>',
    status: 'worker_status',
    stop: 'stop_worker <id>',
    list: 'list_worker_types',
  },
};
