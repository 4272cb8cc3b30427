import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** True in the module that `node FILE` was started with, false in one that was imported. */
export function isMain(moduleUrl) {
  const started = process.argv[1];
  return started !== undefined && moduleUrl === pathToFileURL(realpathSync(started)).href;
}
