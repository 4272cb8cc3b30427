import * as vscode from 'vscode';
import type { Reader } from '../core/presenter/words';

function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

function dayAndTime(at: number): string {
  const date = new Date(at);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${day.join('-')} ${timeOfDay(at).slice(0, 5)}`;
}

/** The person in front of this window: their clock, time zone and language. */
export function reader(): Reader {
  return { now: Date.now(), timeOfDay, dayAndTime, t: (sentence, ...values) => vscode.l10n.t(sentence, ...values) };
}
