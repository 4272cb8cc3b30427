import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import type { HostApi } from '../core/host/api';
import { sessionText } from '../core/presenter/agents/sessionText';
import { featureText } from '../core/presenter/features/featureText';
import type { ShownRoot } from '../core/presenter/shownRoot';
import { folderName } from '../core/presenter/toTree';
import { plainEnglish } from '../core/presenter/words';
import { listTable } from '../core/protocol/workers/listTable';
import { statusTable } from '../core/protocol/workers/statusTable';
import type { Fleet } from './fleet';
import { LiveDocuments } from './liveDocuments';
import { reader } from './reader';

const NO_TABLES = { tasks: false, workers: false };

/** The protocol's tables, with session and feature runs, as read-only documents that keep themselves fresh while they are open. */
export class StatusDocuments implements Disposable {
  readonly #fleet: Fleet;
  readonly #documents: LiveDocuments;

  constructor(fleet: Fleet, clock: Clock) {
    this.#fleet = fleet;
    this.#documents = new LiveDocuments('rollcall-status', fleet, clock, async ({ path }) =>
      tablesOf(fleet, path.endsWith('Types')),
    );
  }

  /** Opens the status table, fresh from the status protocol. */
  async showStatus(): Promise<void> {
    await this.#fleet.refresh();
    await this.#show('Workers Status');
  }

  /** Opens the table of worker types. */
  async showTypes(): Promise<void> {
    await this.#show('Worker Types');
  }

  dispose(): void {
    this.#documents.dispose();
  }

  async #show(name: string): Promise<void> {
    await this.#documents.show(name, '', { preview: false });
  }
}

async function tablesOf({ hosts, snapshots }: Fleet, ofTypes: boolean): Promise<string> {
  const tables = ofTypes ? await Promise.all(hosts.map(typesOf)) : snapshots.map(statusOf);
  const headed = tables.map((table, index) => (hosts.length > 1 ? `${hosts[index]?.root ?? ''}\n${table}` : table));
  return `${headed.join('\n\n')}\n`;
}

/** The protocol's table, and below it the session and the dashboards of feature runs as `rollcall status` prints them. */
function statusOf(shown: ShownRoot): string {
  const { root, workers, maxConcurrent, features, session, at } = shown;
  const terminal = { ...reader(), now: at, t: plainEnglish };
  const parts = [
    statusTable(workers, maxConcurrent),
    session === null ? '' : sessionText(shown, terminal, 'Needs you in the view Rollcall'),
    features === undefined ? '' : featureText(folderName(root), features, NO_TABLES),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

async function typesOf(host: HostApi): Promise<string> {
  return listTable(await host.listTypes(), 'vscode');
}
