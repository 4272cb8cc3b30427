import * as vscode from 'vscode';
import type { Surface } from '../surface';
import { cancelQueued } from './cancelQueued';
import { collectGarbage, restoreGarbage } from './collectGarbage';
import { copyId } from './copyId';
import { allowRequest, answerRequest, denyRequest } from './engines/answerRequest';
import { openSession } from './engines/openSession';
import { setUpEngine } from './engines/setUpEngine';
import { wakeWorker } from './engines/wakeWorker';
import { openSpec, openTaskLogs } from './features/openRunFiles';
import { openOutput, revealOutput } from './openOutput';
import { openConfiguration } from './openConfiguration';
import { type Command, registerCommand } from './registerCommand';
import { resetFuse } from './resetFuse';
import { retryWorker } from './retryWorker';
import { reviewChanges } from './reviewChanges';
import { reviewHarvest } from './reviewHarvest';
import { answerItem, dismissItem } from './session/answerItem';
import { installCommands, installRuntime } from './session/install';
import { cancelRestart, copyAgentName, listenForAgent, restartNow, startAgent, stopAgent } from './session/runAgent';
import { startSession, stopSession } from './session/runSession';
import { assignWork, sendMessage } from './session/sendMessage';
import { showMessages } from './session/showMessages';
import { sendDraft } from './session/writeTo';
import { openLogFile, showLog } from './showLog';
import { showWorkers } from './showWorkers';
import { snoozeItem, unsnoozeItem } from './snoozeItem';
import { startWhenFree } from './startWhenFree';
import { startWorker } from './startWorker';
import { stopAll } from './stopAll';
import { stopWorker } from './stopWorker';
import { takeLead } from './takeLead';
import { whyWorker } from './whyWorker';
import { mergeWorktree, removeWorktree, showWorktree } from './worktrees';

const showStatus: Command = async ({ documents }) => {
  await documents.showStatus();
  return undefined;
};

const listTypes: Command = async ({ documents }) => {
  await documents.showTypes();
  return undefined;
};

const refresh: Command = async ({ fleet, why, runs }) => {
  await (fleet.phase === 'failed' ? fleet.reopen() : fleet.refresh());
  why.refresh();
  runs.refresh();
  return undefined;
};

const openSettings: Command = async () => {
  await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:rollcall.rollcall');
  return undefined;
};

// eslint-disable-next-line @typescript-eslint/require-await -- showing a channel needs no waiting
const openRollcallLog: Command = async ({ log }) => {
  log.show();
  return undefined;
};

const COMMANDS: Readonly<Record<string, Command>> = {
  'rollcall.startWorker': startWorker,
  'rollcall.startType': startWorker,
  'rollcall.startWhenFree': startWhenFree,
  'rollcall.cancelQueued': cancelQueued,
  'rollcall.retryWorker': retryWorker,
  'rollcall.resetFuse': resetFuse,
  'rollcall.wakeWorker': wakeWorker,
  'rollcall.answerRequest': answerRequest,
  'rollcall.allowRequest': allowRequest,
  'rollcall.denyRequest': denyRequest,
  'rollcall.openSession': openSession,
  'rollcall.setUpEngine': setUpEngine,
  'rollcall.stopWorker': stopWorker,
  'rollcall.stopAll': stopAll,
  'rollcall.takeLead': takeLead,
  'rollcall.showStatus': showStatus,
  'rollcall.listTypes': listTypes,
  'rollcall.refresh': refresh,
  'rollcall.showWorkers': showWorkers,
  'rollcall.showLog': showLog,
  'rollcall.whyWorker': whyWorker,
  'rollcall.openLogFile': openLogFile,
  'rollcall.openOutput': openOutput,
  'rollcall.revealOutput': revealOutput,
  'rollcall.reviewHarvest': reviewHarvest,
  'rollcall.reviewChanges': reviewChanges,
  'rollcall.copyId': copyId,
  'rollcall.collectGarbage': collectGarbage,
  'rollcall.restoreGarbage': restoreGarbage,
  'rollcall.showWorktree': showWorktree,
  'rollcall.mergeWorktree': mergeWorktree,
  'rollcall.removeWorktree': removeWorktree,
  'rollcall.openConfiguration': openConfiguration,
  'rollcall.startSession': startSession,
  'rollcall.stopSession': stopSession,
  'rollcall.startAgent': startAgent,
  'rollcall.listenForAgent': listenForAgent,
  'rollcall.stopAgent': stopAgent,
  'rollcall.restartNow': restartNow,
  'rollcall.cancelRestart': cancelRestart,
  'rollcall.copyAgentName': copyAgentName,
  'rollcall.assignWork': assignWork,
  'rollcall.sendMessage': sendMessage,
  'rollcall.sendDraft': sendDraft,
  'rollcall.answerItem': answerItem,
  'rollcall.dismissItem': dismissItem,
  'rollcall.snoozeItem': snoozeItem,
  'rollcall.unsnoozeItem': unsnoozeItem,
  'rollcall.showMessages': showMessages,
  'rollcall.installRuntime': installRuntime,
  'rollcall.installCommands': installCommands,
  'rollcall.openSpec': openSpec,
  'rollcall.openTaskLogs': openTaskLogs,
  'rollcall.openSettings': openSettings,
  'rollcall.openRollcallLog': openRollcallLog,
};

/** Registers every command that package.json contributes. */
export function registerCommands(surface: Surface): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(COMMANDS).map(([id, command]) => registerCommand(surface, id, command)),
  );
}
