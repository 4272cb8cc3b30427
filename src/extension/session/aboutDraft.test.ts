import { expect, it } from 'vitest';
import { withAbout, withoutAbout } from './aboutDraft';

it.each(['Which port?', 'a --> b', '<!-- x -->', '-->\n--'])(
  'a draft shows what it is about and does not send it: %s',
  (about) => {
    const draft = withAbout(about, 'Port 80.\n<!-- as ever -->\n');
    expect(draft).toContain('Port 80.');
    expect(withoutAbout(draft)).toBe('Port 80.\n<!-- as ever -->');
    expect(withoutAbout(withAbout(about, ''))).toBe('');
  },
);

it('a draft without it is sent whole', () => {
  expect(withoutAbout(' Port 80. ')).toBe('Port 80.');
});
