import { beforeEach, describe, expect, it } from 'vitest';
import { readerAfter } from '../../../../test/support/snapshots';
import { RunLogText } from './runLogText';

const EVENTS = 'workers/worker-0.jsonl';
const STDOUT = 'worker-0.stdout.log';
const ESCAPE = '\u001B';

let log: RunLogText;

beforeEach(() => {
  log = new RunLogText({ feature: 'auth', nameOf: (file) => file, reader: readerAfter(0) });
});

function events(text: string, reset = false): string {
  return log.add({ kind: 'events', file: EVENTS, text, reset });
}

function printed(text: string, reset = false): string {
  return log.add({ kind: 'stdout', file: STDOUT, text, reset });
}

describe('the log of a worker of a run', () => {
  it('has JSON lines as sentences, with what they say beside their words', () => {
    const line = {
      ts: '2026-03-01T14:30:22Z',
      level: 'info',
      worker_id: 0,
      feature: 'auth',
      message: 'Claimed',
      task_id: 'A-1',
      phase: 'execute',
      data: { attempt: 2 },
    };
    expect(events(`${JSON.stringify(line)}\n`)).toBe(
      `── ${EVENTS} ──\n14:30:22 info  Claimed  [A-1 execute]  {"data":{"attempt":2}}\n`,
    );
  });

  it('leaves out lines that name another feature, whose workers write into the same file', () => {
    expect(events('{"message":"mine","feature":"auth"}\n{"message":"theirs","feature":"billing"}\n')).toContain('mine');
    expect(events('{"message":"theirs","feature":"billing"}\n')).toBe('');
    expect(events('{"message":"nobody’s"}\n')).toContain('nobody’s');
  });

  it('takes a line that is cut or no JSON as text', () => {
    expect(events('{"message":"cut\nhello\n')).toBe(`── ${EVENTS} ──\n{"message":"cut\nhello\n`);
  });

  it('waits for the end of a line', () => {
    expect(events('{"message":"fir')).toBe('');
    expect(events('st"}\n')).toContain('first');
  });

  it('has what a process printed without colours and control characters', () => {
    expect(printed(`${ESCAPE}[32mINFO${ESCAPE}[0m  ok\u0007\r\n`)).toBe(`── ${STDOUT} ──\nINFO  ok\n`);
  });

  it('names the file wherever another one goes on, and where one begins anew', () => {
    printed('one\n');
    expect(printed('two\n')).toBe('two\n');
    expect(events('{"message":"three"}\n')).toMatch(/^\n── workers\/worker-0\.jsonl ──\n/);
    expect(events('{"message":"four"}\n', true)).toMatch(/^\n── workers\/worker-0\.jsonl begins anew ──\n/);
  });
});
