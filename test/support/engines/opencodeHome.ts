import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes `home` one in which opencode ran before. In a new one it asks the package registry for the types of plugins, and where a
 * plugin is named it waits for that: for 10 s where there is no registry.
 */
export function usedOpencodeHome(home: string): void {
  const config = join(home, '.config', 'opencode');
  const root = { dependencies: { '@opencode-ai/plugin': '*' } };
  mkdirSync(join(config, 'node_modules'), { recursive: true });
  writeFileSync(join(config, 'package.json'), JSON.stringify(root));
  writeFileSync(join(config, 'package-lock.json'), JSON.stringify({ packages: { '': root } }));
}
