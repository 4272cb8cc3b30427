/** One process as the operating system lists it. `pgid` is 0 where the platform has no process groups. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  readonly startTime: string;
}

/** What one look at a pid says. `gone` covers thread ids; `unclear`: this user may not know. */
export type ProcessLook =
  | { readonly kind: 'running'; readonly row: ProcessRow }
  /** It ended, but its parent has not taken its exit code yet. */
  | { readonly kind: 'zombie'; readonly row: ProcessRow }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unclear' };

/** The platform's view on processes; one implementation per operating system. */
export interface ProcessProbe {
  /** Differs after every boot of the machine. */
  bootId(): Promise<string>;
  look(pid: number): Promise<ProcessLook>;
  /** Every running process that this user can see. Zombies are left out. */
  list(): Promise<readonly ProcessRow[]>;
  /** The numbers of its children, for a few reads; none where the machine cannot tell without a listing of everyone. */
  childrenOf(pid: number): readonly number[];
  /** The environment that the process was started with; empty where that cannot be read. */
  environmentOf(pid: number): Readonly<Record<string, string>>;
  /** True when the process was started with `NAME=value` in its environment; false where that cannot be read. */
  hasEnvMarker(pid: number, marker: string): boolean;
}
