import { describe, expect, it } from 'vitest';
import { progressText } from './progressText';
import type { Progress, RegistryStatus } from './registryEntry';

function progress(phase: string | null, items_processed: number, total_items: number | null): Progress {
  return { phase, items_processed, total_items };
}

describe('progress text', () => {
  it.each<[string, RegistryStatus, Progress | null, string]>([
    ['consolidate', 'running', progress('scanning researches', 3, 7), 'scanning (3/7)'],
    ['consolidate', 'running', progress('scanning researches', 3, null), 'scanning (3)'],
    ['consolidate', 'running', progress('initializing', 0, null), 'initializing'],
    ['consolidate', 'running', progress('scanning', 0, 7), 'scanning (0/7)'],
    ['consolidate', 'running', progress(null, 3, 7), '—'],
    ['consolidate', 'running', progress('x'.repeat(5000), 3, 7), `${'x'.repeat(40)} (3/7)`],
    ['consolidate', 'running', progress('\u001B[31m\u0007', 3, 7), '—'],
    ['consolidate', 'running', null, '—'],
    ['consolidate', 'completed', progress('completed', 7, 7), '—'],
    ['health-check', 'running', progress('checking', 2, 6), 'checking (2/6)'],
    ['health-check', 'completed', progress('completed', 6, 6), '6/6 checks'],
    ['health-check', 'completed', progress(null, 6, null), '6/6 checks'],
    ['health-check', 'completed', progress(null, 0, null), '—'],
    ['health-check', 'completed', null, '—'],
    ['health-check', 'failed', progress('checking', 2, 6), '—'],
    ['health-check', 'stopped', progress('checking', 2, 6), '—'],
    ['consolidate', 'stop-requested', progress('\u001B[1mana\u0000lyzing\u001B[0m x', 1, null), 'ana (1)'],
  ])('of a %s that is %s: %j is %s', (type, status, given, text) => {
    expect(progressText({ type, status }, given)).toBe(text);
  });
});
