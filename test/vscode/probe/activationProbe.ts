import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { RollcallApi } from '../../../src/extension/surface';
import { type ActivationReport, probeVariable } from './activationReport';
import { ownShareOf } from './ownShare';

/** The event loop is looked at so often, milliseconds; a pause is known up to that much. */
const RESOLUTION_MS = 1;
/** The host is at rest when nothing paused it for longer than this, milliseconds. */
const REST_MS = 8;
const MOST_LOOKS = 20;
/** What follows the activation is watched for so long, milliseconds: first looks, drawing, adoption. */
const AFTER_MS = 3_000;

type Monitor = ReturnType<typeof monitorEventLoopDelay>;

function longestOf(monitor: Monitor): number {
  return monitor.max / 1e6 - RESOLUTION_MS;
}

/** Begins to watch for pauses: what comes before the monitor's first look would be missed. */
async function begin(monitor: Monitor): Promise<void> {
  monitor.reset();
  await delay(10 * RESOLUTION_MS);
}

/** The host starts other extensions too; on a machine that is too busy for it, it is not waited for. */
async function untilAtRest(monitor: Monitor): Promise<number> {
  const looks: number[] = [];
  while (looks.length < MOST_LOOKS && (looks.at(-1) ?? REST_MS) >= REST_MS) {
    await begin(monitor);
    await delay(500);
    looks.push(longestOf(monitor));
  }
  return looks.at(-1) ?? Number.NaN;
}

async function firstLook(fleet: RollcallApi['fleet']): Promise<void> {
  const isDone = (): boolean => fleet.snapshots.some(({ at }) => at > 0);
  await new Promise<void>((resolve) => {
    const listening = fleet.onDidChange(() => {
      if (isDone()) {
        listening.dispose();
        resolve();
      }
    });
    if (isDone()) {
      listening.dispose();
      resolve();
    }
  });
}

/** Called by VS Code inside the extension host: activates Rollcall, which nothing has done yet, and reports what that took. */
export async function run(): Promise<void> {
  const extension = vscode.extensions.getExtension<RollcallApi>('rollcall.rollcall');
  if (extension === undefined || extension.isActive) {
    throw new Error('Rollcall must be there, and not be active yet');
  }
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  const restMs = await untilAtRest(monitor);
  const own = ownShareOf(join('dist', 'extension.js'));
  await begin(monitor);
  const from = performance.now();
  const cpu = process.cpuUsage();
  const { fleet } = await extension.activate();
  const activeMs = own.ms;
  const askedMs = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  await firstLook(fleet);
  const shownMs = performance.now() - from;
  await fleet.opened();
  const openedMs = performance.now() - from;
  const blockedMs = longestOf(monitor);
  await begin(monitor);
  await delay(AFTER_MS);
  const report: ActivationReport = {
    restMs,
    activeMs,
    cpuMs: (user + system) / 1000,
    askedMs,
    shownMs,
    openedMs,
    blockedMs,
    blockedAfterMs: longestOf(monitor),
  };
  writeFileSync(process.env[probeVariable] ?? '', JSON.stringify(report));
}
