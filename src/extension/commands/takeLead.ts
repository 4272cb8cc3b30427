import type { Command } from './registerCommand';

/** Makes this window the leader of every root that another window or program leads (lifecycle §6). */
export const takeLead: Command = async ({ fleet }) => {
  const led = fleet.hosts.filter((host) => host.getSnapshot().leader?.self === false);
  const outcomes = await Promise.all(led.map(async (host) => host.takeLead()));
  return outcomes.find((outcome) => !outcome.ok)?.error;
};
