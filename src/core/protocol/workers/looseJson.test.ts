import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonValue } from '../../../../test/support/protocolArbitraries';
import { parseLooseJson } from './looseJson';

describe('parseLooseJson', () => {
  it('reads every JSON value exactly, also between comments', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = JSON.stringify(value, null, 1);
        expect(parseLooseJson(text)).toEqual(parseLooseJson(`// before\n/* and */${text} // after`));
      }),
    );
  });

  it('drops the keys that could reach a prototype, at every depth', () => {
    const text = '{"__proto__": {"x": 1}, "a": [{"constructor": 1, "prototype": 2, "__proto__": 3, "b": 4}]}';
    expect(parseLooseJson(text)).toEqual({ ok: true, value: { a: [{ b: 4 }] } });
    expect(Object.getPrototypeOf({})).not.toHaveProperty('x');
  });

  it('takes what a pattern would choke on in one pass', () => {
    const hostile = [`"${'\\"'.repeat(500_000)}`, '/*'.repeat(500_000), '"'.repeat(1_000_001), '['.repeat(1_000_000)];
    for (const text of hostile) {
      expect(parseLooseJson(text).ok).toBe(false);
    }
  });

  it('reads an unclosed fence and an unclosed comment at the end', () => {
    expect(parseLooseJson('```json\n{"a": 1}')).toEqual({ ok: true, value: { a: 1 } });
    expect(parseLooseJson('{"a": 1} /* and then')).toEqual({ ok: true, value: { a: 1 } });
  });
});
