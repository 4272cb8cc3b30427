import { describe, expect, it } from 'vitest';
import { violationText } from './violationText';

const violation = (path: string) => ({ path, change: 'changed', at: '2026-03-01T14:30:22.000Z' }) as const;

describe('violationText', () => {
  it('says what changed during the run, and names nobody', () => {
    expect(violationText([violation('researches/x')])).toBe('changed researches/x during the run');
    expect(violationText(['a', 'b', 'c'].map((path) => violation(path)))).toBe('changed a during the run (and 2 more)');
    expect(violationText([])).toBe('');
  });
});
