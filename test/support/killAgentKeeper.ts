import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKeeperRecord } from '../../src/core/protocol/keeper/readKeeperRecord';

/** Ends the keeper of this agent, and nothing else of it, as the kernel does it. */
export function killAgentKeeper(root: string, agent: string): void {
  const path = join(root, '.claude', 'session', 'keepers', agent, 'keeper.json');
  const record = readKeeperRecord(readFileSync(path, 'utf8'));
  if (record === null) {
    throw new Error(`${path} names no keeper`);
  }
  process.kill(record.keeper.pid, 'SIGKILL');
}
