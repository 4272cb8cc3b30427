import { expect, it } from 'vitest';
import { ManualClock } from '../../../../test/support/manualClock';
import { silentLogger } from '../../base/logger';
import type { AgentStart } from './agentStart';
import { HeldStarts } from './heldStarts';

const mail = (agent: string, number: number): AgentStart => ({ agent, cause: 'message', mail: number });

it('a start that a fuse holds up is asked for again, with the others and each agent once, until it is disposed', () => {
  const clock = new ManualClock();
  const asked: AgentStart[] = [];
  const again = (start: AgentStart): void => {
    asked.push(start);
    held.hold(start, 'Nothing is started.');
  };
  const held = new HeldStarts({ clock, logger: silentLogger, again });
  held.hold(mail('developer', 4), 'Nothing is started.');
  held.hold(mail('developer', 7), 'Nothing is started.');
  held.hold(mail('tester', 5), 'Nothing is started.');
  expect(asked).toEqual([]);
  clock.advance(15_000);
  expect(asked).toEqual([mail('developer', 7), mail('tester', 5)]);
  clock.advance(15_000);
  expect(asked).toHaveLength(4);
  held.dispose();
  clock.advance(60_000);
  expect(asked).toHaveLength(4);
});
