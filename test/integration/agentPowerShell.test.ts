import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentProject, powershell, type RunningAgent, runAgent } from '../support/agentLanguages';
import { ScriptedEndpoint } from '../support/scriptedEndpoint';

const shutdown = { systemEvent: 'shutdown' };

interface Play extends RunningAgent {
  readonly endpoint: ScriptedEndpoint;
}

/** Runs a script that has sourced the runtime, as the agent `player`, and waits until it is ready. */
async function play(script: string): Promise<Play> {
  const project = agentProject(powershell, 'player');
  writeFileSync(project.script, `. "$PSScriptRoot\\..\\..\\scripts\\agent-runtime.ps1"\n${script}`);
  const path = join(project.root, 'endpoint');
  const endpoint = new ScriptedEndpoint(path, 'private');
  onTestFinished(async () => endpoint.close());
  await endpoint.open();
  const env = { ROLLCALL_ENDPOINT: path, ROLLCALL_TOKEN: 't', ROLLCALL_AGENT: 'player' };
  const running = runAgent(powershell, project, { env });
  await endpoint.hearsType('AgentStatus');
  return { ...running, endpoint };
}

/** What `ConvertTo-Json` and friends make of payloads that a script sends: each is the payload of one Response. */
async function sent(...payloads: readonly string[]): Promise<readonly unknown[]> {
  const sends = payloads.map((payload) => `Send-Message -To 'pm' -Type 'Response' -Payload (${payload})`);
  const { endpoint, ended } = await play(`$null = Connect-ToWatchdog\n${sends.join('\n')}`);
  expect(await ended).toEqual({ code: 0, stdout: '', stderr: '' });
  return endpoint.lines.flatMap(({ said }) => (said['type'] === 'Response' ? [said['payload']] : []));
}

describe.skipIf(powershell.command === null)('the PowerShell runtime', () => {
  it('gives exactly one Boolean for a connection, and nothing for a send', async () => {
    const { ended } = await play(`
      $connected = @(Connect-ToWatchdog -AgentName 'player' -SessionDir '.claude\\session')
      "connected: $($connected.Count) $($connected[0].GetType().Name) $($connected[0])"
      $sent = @(Send-WorkComplete -TaskId 't1'; Send-WorkBlocked -TaskId 't1'; Send-AgentStatus -Status 'idle')
      "sent: $($sent.Count)"
      $query = Send-Message -To 'pm' -Type 'Query' -Payload @{ question = '?' } -PassThru
      "query: $($query.id -match '^msg-\\d{8}-\\d{6}-[0-9a-f]{16}$')"
      "name: $(Get-AgentName)"
      "folder: $((Get-SessionDir) -eq (Join-Path (Get-Location) '.claude/session'))"`);
    const { code, stdout, stderr } = await ended;
    expect(stdout.trim().split(/\r?\n/)).toEqual([
      'connected: 1 Boolean True',
      'sent: 0',
      'query: True',
      'name: player',
      'folder: True',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('prints what a handler puts out, survives its bare break, and goes on behind errors that end no statement', async () => {
    const { endpoint, ended } = await play(`
      if (-not (Connect-ToWatchdog)) { exit 1 }
      $result = Enter-AgentLoop -MessageHandler {
        param($Anything)
        "handler has $($Anything.payload.n)"
        if ($Anything.payload.n -eq 1) { break }
        if ($Anything.payload.n -eq 2) { continue }
        if ($Anything.payload.n -eq 3) { Get-Item 'no such file'; 'still here' }
      }`);
    [1, 2, 3].forEach((n) => {
      endpoint.mail(n, 'WorkAssign', { n });
    });
    await endpoint.hearsAck(3);
    endpoint.mail(0, 'System', shutdown);
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(42);
    expect(stdout).toContain('handler has 1');
    expect(stdout).toContain('handler has 3');
    expect(stdout).toContain('still here');
    expect(stderr).toContain('no such file');
    expect(endpoint.lines.flatMap(({ said }) => ('ack' in said ? [said['ack']] : []))).toEqual([1, 2, 3]);
  });

  it.each([
    ['an exception of a method', `[int]::Parse('x')`],
    ['an error of a command', `Get-Item 'no such file' -ErrorAction Stop`],
    ['a throw', `throw 'thrown'`],
    ['a division by zero', '1 / $null'],
  ])('leaves with 1 for %s that a handler does not catch, and has not handled the message', async (_, statement) => {
    const { endpoint, ended } = await play(`
      if (-not (Connect-ToWatchdog)) { exit 1 }
      Enter-AgentLoop -MessageHandler { param($m) Send-WorkComplete -TaskId 't1'; ${statement}; 'still here' }`);
    endpoint.mail(1, 'WorkAssign', {});
    const { code, stdout } = await ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(endpoint.lines.map(({ said }) => said)).not.toContainEqual({ ack: 1 });
  });

  it("shows a handler its script's variables and none of its own, and runs the script's finally at a shutdown", async () => {
    const { endpoint, ended } = await play(`
      $timeoutMs = 'of the script'; $agent = 'of the script'; $name = 'of the script'; $seq = 'of the script'
      if (-not (Connect-ToWatchdog)) { exit 1 }
      try {
        Enter-AgentLoop -MessageHandler {
          param($Message)
          Send-Message -To 'pm' -Type 'Response' -Payload @{ seen = @($timeoutMs, $agent, $name, $seq, $MessageHandler) }
        }
      } finally { 'cleaned up' }`);
    endpoint.mail(1, 'Query', { question: '?' });
    const { said } = await endpoint.hearsType('Response');
    const script = 'of the script';
    expect(said['payload']).toEqual({ seen: [script, script, script, script, null] });
    endpoint.mail(0, 'System', shutdown);
    const { code, stdout } = await ended;
    expect({ code, stdout: stdout.trim() }).toEqual({ code: 42, stdout: 'cleaned up' });
  });

  it('sends texts, numbers, lists, tables and dates as what they are, and other things as their text', async () => {
    const payloads = await sent(
      `@{ a = 1; b = 2.5; c = $true; d = $null; e = @(); f = @(1); g = @{ h = @('x', @('y')) } }`,
      `@{ object = [pscustomobject]@{ one = 1; two = @('2') }; list = [Collections.Generic.List[int]]@(1, 2) }`,
      `@{ date = [DateTime]::new(2026, 1, 25, 15, 0, 0, [DateTimeKind]::Utc); guid = [guid]::Empty; letter = [char]'x'; day = [DayOfWeek]::Monday }`,
      `@{ file = Get-Item $PSCommandPath; lines = @(Get-Content $PSCommandPath -TotalCount 1) } | ForEach-Object { $_.file = $_.file.Name; $_ }`,
      `@{ half = "a$([char]0xD83D)b"; whole = [char]::ConvertFromUtf32(0x1F680); nan = [double]::NaN }`,
    );
    expect(payloads).toEqual([
      { a: 1, b: 2.5, c: true, d: null, e: [], f: [1], g: { h: ['x', ['y']] } },
      { object: { one: 1, two: ['2'] }, list: [1, 2] },
      { date: '2026-01-25T15:00:00.000Z', guid: '00000000-0000-0000-0000-000000000000', letter: 'x', day: 'Monday' },
      { file: 'player.ps1', lines: ['. "$PSScriptRoot\\..\\..\\scripts\\agent-runtime.ps1"'] },
      { half: 'a\uFFFDb', whole: '\u{1F680}', nan: 'NaN' },
    ]);
  });

  it('says so instead of cutting a payload that is nested too deep, and goes on with the next', async () => {
    const { endpoint, ended } = await play(`
      $null = Connect-ToWatchdog
      $deep = @{}; foreach ($level in 1..80) { $deep = @{ inner = $deep } }
      try { Send-Message -To 'pm' -Type 'Response' -Payload $deep } catch { "caught: $_" }
      Send-Message -To 'pm' -Type 'Response' -Payload @{ next = 1 }`);
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain('caught: The payload is nested deeper than 60 levels.');
    const responses = endpoint.lines.filter(({ said }) => said['type'] === 'Response');
    expect(responses.map(({ said }) => [said['n'], said['payload']])).toEqual([[2, { next: 1 }]]);
  });

  it('reads keys that differ only in case, dates as texts, and leaves a line of rubbish out', async () => {
    const { endpoint, ended } = await play(`
      if (-not (Connect-ToWatchdog)) { exit 1 }
      Enter-AgentLoop -MessageHandler {
        param($m)
        if ($m.type -ne 'Query') { return }
        $seen = @($m.payload.at, $m.payload.at.GetType().Name)
        Send-Message -To 'pm' -Type 'Response' -Payload @{ seen = $seen } -InReplyTo $m.id
      }`);
    endpoint.say(['no', 'message']);
    endpoint.say({ nothing: 'of ours' });
    const at = '2026-01-25T15:00:00Z';
    endpoint.mail(1, 'Query', { at, Key: 1, key: 2 });
    const { said } = await endpoint.hearsType('Response');
    expect(said['payload']).toEqual({ seen: [at, 'String'] });
    endpoint.mail(0, 'System', shutdown);
    const { code, stderr } = await ended;
    expect(code).toBe(42);
    expect(stderr).toContain('cannot read this line, left out');
  });
});
