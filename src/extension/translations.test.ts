import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

async function texts(file: string): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await readFile(file, 'utf8')) as Record<string, string>;
}

function marks(text: string): readonly string[] {
  return [...text.matchAll(/\{\d+\}|\]\([^)]+\)/g)].map(([mark]) => mark).toSorted();
}

describe('a translation', () => {
  it('keeps every place for a value', async () => {
    for (const [sentence, translated] of Object.entries(await texts('l10n/bundle.l10n.zh-cn.json'))) {
      expect(marks(translated), sentence).toEqual(marks(sentence));
    }
  });

  it('of the manifest has the same keys and the same links', async () => {
    const english = await texts('package.nls.json');
    const chinese = await texts('package.nls.zh-cn.json');
    expect(Object.keys(chinese)).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(english)) {
      expect(marks(chinese[key] ?? ''), key).toEqual(marks(text));
    }
  });
});
