// A writer of a feature run's state that never rests, to be killed in the middle. argv: root, feature, task.
import { systemClock } from '../../src/core/base/clock';
import { utcZone } from '../../src/core/protocol/features/zone';
import { openRunState } from '../../src/core/registry/runState';

const [root = '', feature = '', task = ''] = process.argv.slice(2);
const searchPath = process.env['PATH'] ?? '';
const state = openRunState({ root, clock: systemClock(), zone: utcZone, searchPath });

async function writeForEver(): Promise<void> {
  for (let round = 0; ; round += 1) {
    const status = round % 2 === 0 ? 'in_progress' : 'complete';
    const done = await state.setTask(feature, { task, status, worker: round, error: null, level: null });
    process.stdout.write(`${done.ok ? 'written' : done.error.message}\n`);
  }
}

void writeForEver();
