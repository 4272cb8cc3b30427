import type { EngineOrder, EngineStreamName } from '../protocol/engines/engineOrder';
import type { EngineRequest } from './engine';

/** The person's own settings for one engine. */
export interface EngineSettings {
  /** Absolute path of the program; null: the one on PATH. */
  readonly program: string | null;
  /** The engine's names for the routing table's words, e.g. `{"haiku": "gpt-5-mini"}`. */
  readonly models: Readonly<Record<string, string>>;
  /** Hosts that its model's service has beside the usual ones. */
  readonly hosts: readonly string[];
  /** Options that go before the last of our own arguments, each as one. */
  readonly args: readonly string[];
}

/** A run as an adapter sees it. */
export interface AdapterRun extends EngineRequest {
  readonly prompt: string;
  /** The engine's own name of the model, or null for its default. */
  readonly model: string | null;
  /** The person's own arguments. */
  readonly extraArgs: readonly string[];
  /** Where our own bundles lie, absolute: an adapter may name one of them to its program. */
  readonly distDir: string;
}

/** The part of a command that differs between engines. */
export interface AdapterCommand {
  readonly args: readonly string[];
  /** Switches; a variable that the person set wins. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that hold what the person set together with ours. */
  readonly merged?: Readonly<Record<string, string>>;
  readonly stdin: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** All that is particular to one engine. Pure data and functions: the detector and the keeper do the work. */
export interface EngineAdapter {
  readonly name: EngineStreamName;
  /** Written by its documentation and never run by us. */
  readonly isExperimental: boolean;
  /** Its name on PATH. */
  readonly program: string;
  /** What it says of the routing table's words; null is its own default model. Other words are taken as they are. */
  readonly models: Readonly<Record<string, string | null>>;
  /** Variables of the person that it needs beside the allow-list: keys, addresses, folders. */
  readonly inherits: readonly string[];
  /** Any of these variables is a login. */
  readonly loginVariables: readonly string[];
  /** Arguments with which it ends with 0 for those who are logged in and with 1 for others; null: there are none. */
  readonly loginStatusArgs: readonly string[] | null;
  /** Files, absolute, that a login leaves; a person can be logged in without them. */
  readonly loginFiles: (env: Environment, home: string) => readonly string[];
  /** What to type in a terminal. */
  readonly loginCommand: string;
  readonly installCommand: string;
  /** Hosts of its model's service, for the sandbox's allow-list; those of a configured address come on top. */
  readonly hosts: readonly string[];
  /** Variables that hold an address of the service. */
  readonly addressVariables: readonly string[];
  /** Folders of its own that it must be able to write in our sandbox, absolute. */
  readonly stateFolders: (env: Environment, home: string) => readonly string[];
  /** Below them: what must not be written there, where it exists (`EngineSandbox.protects`). */
  readonly protectedState: (env: Environment, home: string) => readonly string[];
  /** The variable that names a script run before each command of the model; null: there is none. */
  readonly scrubVariable: string | null;
  /** Project paths whose files it runs as code and that no switch turns off. */
  readonly runsUnasked: readonly string[];
  readonly commandOf: (run: AdapterRun) => AdapterCommand;
  readonly orderOf: (request: EngineRequest) => EngineOrder;
  /** Arguments that open the session in its own terminal UI. */
  readonly openArgs: (sessionId: string) => readonly string[];
}
