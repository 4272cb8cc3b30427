import type { ShownFuse } from '../../core/presenter/blownFuses';
import { iso } from './planJson';

/** A blown fuse as `status --json` gives it: of a worker, of a session agent, or of the whole project. `reset` is what to type. */
export function fuseJson({ id, worker, agent, text, detail, since }: ShownFuse): object {
  return { id, worker, agent, fuse: text, detail, since: iso(since), reset: `rollcall fuse reset ${id}` };
}
