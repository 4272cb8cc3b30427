import { describe, expect, it } from 'vitest';
import { redact, redactArguments, secretValuesOf } from './redact';

describe('redact', () => {
  it('takes out every given secret, the longer one first, taken literally', () => {
    expect(redact('a p.ss and p.ss-more and pass', ['p.ss', 'p.ss-more'])).toBe('a *** and *** and pass');
  });

  it('does not take out secrets so short that they occur by chance', () => {
    expect(redact('1 2 3', ['1', ''])).toBe('1 2 3');
  });

  it('takes out what has the shape of a known key', () => {
    const key = `sk-${'a1'.repeat(12)}`;
    expect(redact(`use ${key} and ghp_${'x'.repeat(36)}!`, [])).toBe('use *** and ***!');
    expect(redact('task-management of desk-tops', [])).toBe('task-management of desk-tops');
  });

  it.each([
    ['login password=hunter22 ok', 'login password=*** ok'],
    ['DB_PASSWORD="correct horse"', 'DB_PASSWORD="*** horse"'],
    ['{"api_key": "abcd1234", "id": 7}', '{"api_key": "***", "id": 7}'],
    ['https://x.test/?access_token=abcd1234&page=2', 'https://x.test/?access_token=***&page=2'],
    ['max_tokens=4096 tokens=1234', 'max_tokens=4096 tokens=1234'],
    ['the password: was wrong', 'the password: was wrong'],
  ])('takes out what a line itself calls a secret: %s', (line, expected) => {
    expect(redact(line, [])).toBe(expected);
  });
});

describe('redactArguments', () => {
  it('takes out the values of flags that are called secret, in either notation', () => {
    const args = ['tool', '--api-key', 'k1', '--token=k2', 'PASSWORD=k3', '--author', 'me', '--auth', '-v'];
    expect(redactArguments(args, [])).toEqual([
      'tool',
      '--api-key',
      '***',
      '--token=***',
      'PASSWORD=***',
      '--author',
      'me',
      '--auth',
      '-v',
    ]);
  });
});

describe('secretValuesOf', () => {
  it('finds them inside a configuration that a variable holds', () => {
    const config = { provider: { one: { options: { apiKey: 'abcdefgh', baseURL: 'http://127.0.0.1' } } } };
    expect(secretValuesOf({ CONFIG: JSON.stringify(config), BRACES: '{token: abcdefgh' })).toEqual(['abcdefgh']);
  });

  it('finds values by their names, but not words such as true', () => {
    expect(secretValuesOf({ MY_TOKEN: 'abcdefgh', AUTH: 'true', HOME: '/home/someone' })).toEqual(['abcdefgh']);
  });
});
