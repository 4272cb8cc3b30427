import type { Icon } from './workerIcon';
import { joined } from './rowWords';
import type { Translate } from './words';

/** What a row about an engine is made of. */
export interface ShownEngine {
  readonly name: string;
  readonly isExperimental: boolean;
  /** Absolute path of its program, or null. */
  readonly path: string | null;
  readonly version: string | null;
  readonly login: 'yes' | 'no' | 'unknown';
  /** What the login is, or null. */
  readonly loginBy: string | null;
  /** Why it cannot be started, ending in what the person can do, or null. */
  readonly trouble: string | null;
  /** How to log in, or null. */
  readonly advice: string | null;
  /** The types that would be started with it. */
  readonly types: readonly string[];
  /** Paths of the project whose files it runs as code. */
  readonly runsUnasked: readonly string[];
}

/** One engine in a list. */
export interface EngineRow {
  readonly label: string;
  /** Version and login in a few words. */
  readonly description: string;
  /** Where it is, or what is wrong; and what would use it. */
  readonly detail: string;
  readonly icon: Icon;
}

/** What stands above all engines: none of them is needed. */
export function withoutEnginesText(t: Translate): string {
  return t("None of them is needed: without one, Rollcall's builtin engine does the types of the protocol.");
}

/** How an engine looks in every surface. */
export function engineRow(engine: ShownEngine, t: Translate): EngineRow {
  return { label: engine.name, description: stateOf(engine, t), detail: detailOf(engine, t), icon: iconOf(engine) };
}

function stateOf({ path, version, trouble, login, isExperimental }: ShownEngine, t: Translate): string {
  if (path === null) {
    return joined(t('not installed'), isExperimental ? t('experimental') : null);
  }
  if (trouble !== null) {
    return t('does not run');
  }
  return joined(version, loginWords(login, t), isExperimental ? t('experimental') : null);
}

function loginWords(login: ShownEngine['login'], t: Translate): string {
  switch (login) {
    case 'yes':
      return t('signed in');
    case 'no':
      return t('not signed in');
    case 'unknown':
      return t('sign-in not known');
  }
}

function detailOf({ path, trouble, advice, types, loginBy, runsUnasked }: ShownEngine, t: Translate): string {
  if (trouble !== null) {
    return trouble;
  }
  const code = runsUnasked.length === 0 ? null : t('runs files of this project as code: {0}', runsUnasked.join(', '));
  const use = types.length === 0 ? t('no type uses it') : t('used by {0}', types.join(', '));
  return joined(path, loginBy === null ? null : t('by {0}', loginBy), use, code, advice);
}

function iconOf({ trouble, login }: ShownEngine): Icon {
  if (trouble !== null) {
    return { name: 'circle-slash', color: 'disabledForeground' };
  }
  return login === 'yes'
    ? { name: 'pass', color: 'testing.iconPassed' }
    : { name: 'warning', color: 'list.warningForeground' };
}
