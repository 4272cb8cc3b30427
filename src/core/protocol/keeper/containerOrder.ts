import type { DockerEndpoint } from '../features/dockerEndpoint';

/** Where the container of a worker is found again, by whoever comes later. */
export interface ContainerPlace {
  readonly endpoint: DockerEndpoint;
  /** Also its only one: the engine refuses a second of the same name. */
  readonly name: string;
}

/** A container to be made for one run. Paths are absolute and the same inside as outside. */
export interface ContainerOrder extends ContainerPlace {
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Argument vector; no shell, and the image's entry point is left out. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Folders that may be read. */
  readonly readable: readonly string[];
  /** Folders that may be written to, also below a readable one. */
  readonly writable: readonly string[];
  /** Files that may not be written to, also below a writable folder; left out where they are not there. */
  readonly sealed: readonly string[];
  readonly memoryBytes: number | null;
  /** `uid:gid`, so that what is written belongs to the person; null leaves it to the image. */
  readonly user: string | null;
}

/** What `dist/docker.js run` and `end` get as one JSON text on stdin or as an argument. */
export interface ContainerJob {
  readonly place: ContainerPlace;
  /** Null where nothing is to be made: the container is there, or it is gone. */
  readonly order: ContainerOrder | null;
  /** Where the end is written, whole or not at all. */
  readonly endFile: string;
  /** How far its output was copied. */
  readonly positionFile: string;
}

/** How a container ended, as its engine says. */
export interface ContainerEnd {
  /** Null where nobody can know: it was gone. */
  readonly code: number | null;
  /** The kernel killed something in it, because its memory ran out. */
  readonly oomKilled: boolean;
  /** Why it never ran, ending in what the person can do, or null. */
  readonly refusal: string | null;
}
