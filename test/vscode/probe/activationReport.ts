/** What the probe in the extension host measured, milliseconds. */
export interface ActivationReport {
  /** The longest pause of the extension host's event loop in half a second just before, as the machine's own noise. */
  readonly restMs: number;
  /** The loading of the extension's code and its `activate`, as VS Code counts it. */
  readonly activeMs: number;
  /** Of the host's processor time until then, by all of its threads: a busy machine does not stretch it. */
  readonly cpuMs: number;
  /** From the request to activate, VS Code's own work for it included, to the moment when commands and views are there. */
  readonly askedMs: number;
  /** Until the first look at the whole fleet is on screen data. */
  readonly shownMs: number;
  /** Until the window leads too, and has adopted what runs. */
  readonly openedMs: number;
  /** The longest pause until then, and in the seconds behind it. */
  readonly blockedMs: number;
  readonly blockedAfterMs: number;
}

/** Names the file that the probe writes, in the extension host's environment. */
export const probeVariable = 'ROLLCALL_PROBE_REPORT';
