import * as vscode from 'vscode';
import { systemClock } from '../core/base/clock';
import { channelLogger } from './channelLogger';
import { registerCommands } from './commands/registerCommands';
import { ConfigProblems } from './configProblems';
import { ContextKeys } from './contextKeys';
import { RequestNotices } from './engines/requestNotices';
import { FailureNotices } from './failureNotices';
import { FeatureRuns } from './features/featureRuns';
import { RunNotices } from './features/runNotices';
import { Fleet } from './fleet';
import { openHost } from './openHost';
import { reader } from './reader';
import { Drafts } from './session/drafts';
import { InboxNotices } from './session/inboxNotices';
import { MessageDocuments } from './session/messageDocuments';
import { StatusBar } from './statusBar';
import { StatusDocuments } from './statusDocuments';
import type { RollcallApi, Surface } from './surface';
import { SuggestionNotices } from './suggestionNotices';
import { offerTerminalCommand } from './terminalCommand';
import { ViolationNotices } from './violationNotices';
import { TypesView } from './views/typesView';
import { WorkersView } from './views/workersView';
import { WhyDocuments } from './whyDocuments';
import { WorktreeVersions } from './worktreeVersions';
import { WorkerLogs } from './workerLogs';
import { followWorkspace } from './workspaceFolders';

let fleet: Fleet | undefined;

/**
 * Starts the surface of this window. Its roots are opened, shown and led behind that, so that a large project holds up no
 * other extension; views say meanwhile that they load, and commands wait.
 */
export function activate(context: vscode.ExtensionContext): RollcallApi {
  const own = <T extends vscode.Disposable>(item: T): T => {
    context.subscriptions.push(item);
    return item;
  };
  const log = own(vscode.window.createOutputChannel('Rollcall', { log: true }));
  const logger = channelLogger(log);
  const clock = systemClock();
  fleet = own(new Fleet({ open: async (root, trusted) => openHost(context, root, { trusted, logger }), logger }));
  const workers = own(new WorkersView(fleet, clock));
  const { workspaceState: memory } = context;
  const surface: Surface = {
    fleet,
    log,
    memory,
    documents: own(new StatusDocuments(fleet, clock)),
    why: own(new WhyDocuments(fleet)),
    messages: own(new MessageDocuments(fleet, clock)),
    drafts: own(new Drafts()),
    distDir: context.asAbsolutePath('dist'),
    logs: own(new WorkerLogs(fleet)),
    workers,
    types: own(new TypesView(fleet, clock)),
    runs: own(new FeatureRuns({ fleet, view: workers, memory, clock, logger })),
  };
  const statusBar = own(new StatusBar(fleet, clock));
  own(new ContextKeys(fleet));
  own(new ConfigProblems(fleet));
  own(new WorktreeVersions(fleet));
  own(new FailureNotices(surface));
  own(new InboxNotices(surface));
  own(new RequestNotices(surface));
  own(new RunNotices(surface));
  own(new SuggestionNotices(surface));
  own(new ViolationNotices(surface));
  own(registerCommands(surface));
  offerTerminalCommand(context);
  own(followWorkspace(fleet));
  return { tree: () => surface.workers.nodes(reader()), statusBar: () => statusBar.text, fleet };
}

/** Gives the lease up; VS Code waits at most five seconds and sometimes not at all, so nothing relies on it. */
export async function deactivate(): Promise<void> {
  await fleet?.shutdown();
}
