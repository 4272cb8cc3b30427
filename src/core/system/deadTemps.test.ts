import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTempFolder } from '../../../test/support/tempFolder';
import { removeDeadTemps } from './deadTemps';

const folder = useTempFolder('temps');

function put(name: string, ageMs: number): string {
  const path = join(folder.path, name);
  writeFileSync(path, 'half of a docu');
  const at = (Date.now() - ageMs) / 1000;
  utimesSync(path, at, at);
  return name;
}

it('removes the temporary files of dead writers, and none of a living, young or foreign one', async () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  put(`.registry.json.next.${dead}.519869086035.tmp`, 60_000);
  const stay = [
    put(`.registry.json.${process.pid}.519869086035.tmp`, 60_000),
    put(`.status.json.${dead}.519869086035.tmp`, 1_000),
    put(`notes.${dead}.519869086035.tmp`, 60_000),
    put('.keep.tmp', 60_000),
  ];
  const name = `.folder.${dead}.519869086035.tmp`;
  mkdirSync(join(folder.path, name));
  await removeDeadTemps(folder.path, Date.now());
  expect(readdirSync(folder.path).sort()).toEqual([...stay, name].sort());
  await removeDeadTemps(join(folder.path, 'nowhere'), Date.now());
});
