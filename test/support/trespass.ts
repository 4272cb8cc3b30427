import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { fixtureWorker } from './keeperRig';
import { addFiles } from './tempProject';

/** A worker that ended long ago; nobody has a reason to write to its folder any more. */
export const SETTLED = 'wkr-20260101-090000-health-check';

/** A project with everything that no worker may write, and the type `trespasser`, which tries to. */
export async function layTrap(root: string, type: object = {}): Promise<void> {
  const names = ['README', 'hard', 'old', 'moved', 'gone', 'nest'];
  const cases = names.map((name) => [`researches/case/${name}.md`, `${name}\n`] as const);
  const settled = `.keysarium/workers/${SETTLED}`;
  const command = [
    process.execPath,
    fixtureWorker('trespasser.mjs'),
    '.',
    join('.keysarium', 'workers', '$OWN'),
    settled,
  ];
  await addFiles(root, {
    ...Object.fromEntries(cases),
    'features/login/plan.md': 'plan\n',
    'CLAUDE.md': 'rules\n',
    '.claude/settings.json': '{}\n',
    '.claude/session/notes.md': 'a session writes here\n',
    [`${settled}/status.json`]: `{"worker_id": "${SETTLED}", "status": "completed"}\n`,
    'trespass.sh': `#!/bin/sh\nexec ${command.map((part) => quoted(part)).join(' ')}\n`,
    '.vscode/workers.json': JSON.stringify({
      version: 1,
      types: { trespasser: { description: 'Tries to write everywhere', command: ['./trespass.sh'], ...type } },
    }),
  });
  await chmod(join(root, 'trespass.sh'), 0o755);
}

function quoted(part: string): string {
  return part.includes('$OWN') ? '"$ROLLCALL_WORKER_DIR"' : `'${part}'`;
}
