import { describe, expect, it } from 'vitest';
import type { CliContext } from './cliContext';
import { runCli } from './program';
import { UsageError } from './usageError';

const USAGE = `Usage: rollcall start <type>
       rollcall status
       rollcall stop <id>
       rollcall list`;

/** A context whose host must not be opened, and what was printed into it. */
function closedContext(): { readonly context: CliContext; readonly out: string[]; readonly err: string[] } {
  const out: string[] = [];
  const err: string[] = [];
  const context: CliContext = {
    out: (text) => out.push(text),
    outRaw: (text) => out.push(text),
    err: (text) => err.push(text),
    colour: false,
    interrupted: () => new AbortController().signal,
    openHost: async ({ cwd }) =>
      Promise.reject(cwd === undefined ? new Error('the disk is gone') : new UsageError('no such folder')),
  };
  return { context, out, err };
}

describe('a command line that means nothing', () => {
  it.each([
    [[], ''],
    [['frobnicate'], 'Unknown command: frobnicate\n'],
    [['frob\u001B[2Jnicate', 'health-check'], 'Unknown command: frob nicate\n'],
  ])(
    '%j gets the four lines of help, what was not understood and where to look, on stderr, and 2',
    async (args, said) => {
      const { context, out, err } = closedContext();
      expect(await runCli(args, context)).toBe(2);
      expect({ out, err }).toEqual({ out: [], err: [`${USAGE}\n${said}All commands: rollcall --help`] });
    },
  );

  it('gets those four lines alone, in its own words, for the slash command', async () => {
    const { context, err } = closedContext();
    expect(await runCli(['--surface', 'slash', 'frobnicate'], context)).toBe(2);
    expect(err).toEqual([USAGE.replaceAll('rollcall', '/workers')]);
  });

  it.each([
    [['start']],
    [['start', 'health-check', 'consolidate']],
    [['stop']],
    [['stop', 'wkr', '--all']],
    [['retry']],
    [['queue', 'cancel']],
    [['queue', 'everything']],
    [['gc', '--apply', '--undo']],
    [['logs', 'wkr', '--tail', 'few']],
    [['logs', 'wkr', '--tail', '-1']],
    [['status', '--no-such-option']],
    [['status', '--surface', 'television']],
    [['status', '--cwd']],
    [['status', '--cwd', '/no/such/folder']],
  ])('%j ends with 2 and a word on stderr alone', async (args) => {
    const { context, out, err } = closedContext();
    expect(await runCli(args, context)).toBe(2);
    expect(out).toEqual([]);
    expect(err.join('')).not.toBe('');
  });
});

describe('a command line that means nothing and asks for JSON', () => {
  it.each([
    [['frobnicate', '--json'], 'Usage: rollcall start <type>'],
    [['start', '--json'], "missing required argument 'type'"],
    [['--json', 'status', '--no-such-option'], "unknown option '--no-such-option'"],
    [['status', '--json', '--cwd', '/no/such/folder'], 'no such folder'],
  ])('%j gets a document on stdout, and 2', async (args, message) => {
    const { context, out } = closedContext();
    expect(await runCli(args, context)).toBe(2);
    expect(JSON.parse(out.join(''))).toMatchObject({
      schema: 1,
      error: { code: 'usage', message: expect.stringContaining(message) as string },
    });
  });

  it('does not where that word stands behind the end of the options', async () => {
    const { context, out } = closedContext();
    expect(await runCli(['stop', 'a', 'b', '--', '--json'], context)).toBe(2);
    expect(out).toEqual([]);
  });
});

describe('--help', () => {
  it.each([[['--help']], [['start', '--help']], [['help', 'logs']]])('%j is a result: stdout and 0', async (args) => {
    const { context, out, err } = closedContext();
    expect(await runCli(args, context)).toBe(0);
    expect(out.join('')).toContain('--json');
    expect(err).toEqual([]);
  });
});

describe('a broken machine', () => {
  it('ends a command with 1 and the reason, as JSON where JSON was asked for', async () => {
    const plain = closedContext();
    expect(await runCli(['status'], plain.context)).toBe(1);
    expect(plain).toMatchObject({ out: [], err: ['the disk is gone'] });
    const asJson = closedContext();
    expect(await runCli(['status', '--json'], asJson.context)).toBe(1);
    expect(JSON.parse(asJson.out.join(''))).toEqual({
      schema: 1,
      error: { code: 'failed', message: 'the disk is gone' },
    });
    expect(asJson.err).toEqual([]);
  });
});
