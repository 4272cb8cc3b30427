import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { engineAdapters } from '../../src/core/engines/engineAdapters';

it('finds neither a login nor a key of whoever runs the tests', () => {
  expect(readdirSync(homedir()).filter((name) => /^\.(claude|codex|gemini|opencode)/.test(name))).toEqual([]);
  const keys = engineAdapters.flatMap(({ loginVariables }) => loginVariables);
  expect(keys.filter((name) => (process.env[name] ?? '') !== '')).toEqual([]);
});
