import type { FleetSnapshot, LeaderSnapshot } from '../../core/protocol/snapshot';
import { aborted } from '../aborted';
import type { CliContext, ExitCode, GlobalOptions } from '../cliContext';
import { supervisingJson } from '../json/resultJson';
import { refuse } from '../refuse';
import { withHost } from '../withHost';

/**
 * `rollcall supervise`: leads without VS Code. Beside a leader it follows, and takes over when that one leaves
 * (lifecycle §6). Ctrl-C ends it and leaves every worker running.
 */
export async function supervise(context: CliContext, options: GlobalOptions): Promise<ExitCode> {
  const signal = context.interrupted();
  return await withHost(context, options, async (host) => {
    const { problems } = await host.look();
    const unsafe = problems.find(({ code }) => code === 'unsafe-root');
    if (unsafe !== undefined) {
      return refuse(context, options, unsafe);
    }
    await host.watch();
    await host.lead();
    const tell = teller(context, options);
    const telling = host.onDidChangeSnapshot(tell);
    tell(await host.look());
    await aborted(signal);
    telling.dispose();
    context.err('Stopped supervising. The workers go on.');
    return 0;
  });
}

/** Tells who leads, once per change. */
function teller(context: CliContext, { json }: GlobalOptions): (snapshot: FleetSnapshot) => void {
  let told = '';
  return ({ leader }) => {
    const line = json === true ? supervisingJson(leader) : leaderText(leader);
    if (line !== told) {
      told = line;
      context.out(line);
    }
  };
}

function leaderText(leader: LeaderSnapshot | null): string {
  if (leader === null) {
    return 'Nobody leads yet: the first start makes the workers folder.';
  }
  return leader.self
    ? `Leads (epoch ${String(leader.epoch)}). Ctrl-C ends this and leaves the workers running.`
    : `Follows: process ${String(leader.pid)} (${leader.surface}) leads. Takes over when it leaves.`;
}
