import { describe, expect, it } from 'vitest';
import { errorText } from './errorText';

describe('the text of an error', () => {
  it('says in words what the system says of a path, and keeps the code for a search', () => {
    const error = Object.assign(new Error("EACCES: permission denied, open '/p/x'"), { code: 'EACCES', path: '/p/x' });
    expect(errorText(error)).toBe('/p/x may not be used by your user (EACCES)');
  });

  it('is the message of any other error, and the text of whatever else was thrown', () => {
    expect(errorText(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))).toBe('socket hang up');
    expect(errorText(Object.assign(new Error('EMFILE: too many'), { code: 'EMFILE' }))).toBe('EMFILE: too many');
    expect(errorText('no')).toBe('no');
  });
});
