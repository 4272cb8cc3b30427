import { describe, expect, it } from 'vitest';
import type { EngineAdapter } from './engineAdapter';
import { engineAdapters } from './engineAdapters';
import { type EngineFinding, type EngineTraces, findingOf, isUsable, versionIn } from './engineFinding';
import { foundEngines } from './foundEngines';

function find(name: string, traces: Partial<EngineTraces> = {}): EngineFinding {
  const adapter = engineAdapters.find((candidate) => candidate.name === name) as EngineAdapter;
  const seen: EngineTraces = {
    env: {},
    path: `/opt/${name}`,
    refusal: null,
    version: '1.2.3',
    loginFile: null,
    saysLoggedIn: null,
  };
  return findingOf(adapter, { ...seen, ...traces });
}

describe('what is found of an engine', () => {
  it('is ready with a key in the environment or a login in a file', () => {
    expect(find('claude', { env: { ANTHROPIC_API_KEY: 'k' } })).toMatchObject({
      login: 'yes',
      loginBy: 'ANTHROPIC_API_KEY',
      trouble: null,
      advice: null,
    });
    expect(find('opencode', { loginFile: '/h/auth.json' })).toMatchObject({ login: 'yes', loginBy: '/h/auth.json' });
    expect(find('codex', { saysLoggedIn: true })).toMatchObject({ login: 'yes', loginBy: null });
    expect(isUsable(find('codex', { saysLoggedIn: true }))).toBe(true);
  });

  it('says how to install it, how to log in, and that it does not run', () => {
    expect(find('claude', { path: null, refusal: 'ENOENT' }).trouble).toContain(
      'npm install -g @anthropic-ai/claude-code',
    );
    expect(find('claude', { path: null, refusal: 'EACCES' }).trouble).toContain('cannot be run (EACCES)');
    expect(find('codex', { saysLoggedIn: false })).toMatchObject({ login: 'no', trouble: null });
    expect(find('codex', { saysLoggedIn: false }).advice).toContain('codex login');
    expect(find('codex', { version: null }).trouble).toContain('does not answer to --version');
    expect(find('codex', { env: { CODEX_API_KEY: '' } }).login).toBe('unknown');
  });

  it('does not call somebody logged out whose login no file would show', () => {
    expect(find('opencode')).toMatchObject({ login: 'unknown', trouble: null });
    expect(isUsable(find('opencode'))).toBe(false);
  });

  it('makes engines of what can be started, and leaves to auto those that are ready', () => {
    const found = foundEngines(
      [
        find('gemini', { env: { GEMINI_API_KEY: 'k' } }),
        find('opencode'),
        find('codex', { saysLoggedIn: true }),
        find('claude', { path: null, refusal: 'ENOENT' }),
      ],
      {},
      '/ext/dist',
    );
    expect(found.automatic.map(({ name }) => name)).toEqual(['codex']);
    expect(found.named.map(({ name }) => name)).toEqual(['opencode', 'gemini']);
    expect(found.automatic[0]?.openCommandOf('s-1')).toEqual(['/opt/codex', 'resume', 's-1']);
  });

  it('is nothing for auto while it is experimental', () => {
    expect(isUsable(find('gemini', { env: { GEMINI_API_KEY: 'k' } }))).toBe(false);
  });
});

describe('a version', () => {
  it.each([
    ['2.1.197 (Claude Code)\n', '2.1.197'],
    ['WARNING: no PATH aliases\ncodex-cli 0.171.0\n', '0.171.0'],
    ['1.18.33\n', '1.18.33'],
    ['0.2.0-nightly.5', '0.2.0-nightly.5'],
    ['no number', null],
  ])('is found in %j', (text, version) => {
    expect(versionIn(text)).toBe(version);
  });
});
