import { fail, ok, type Result } from '../base/result';
import type { WorkerType } from '../protocol/workers/workerType';
import type { Engine } from './engine';

/**
 * Picks the engine of a type: the one it names, or for `auto` the command engine when the type brings a command, else the
 * first of those that ask a model where it has a template, else the builtin one. `engines` holds those that `auto` may
 * take; `named` are those that only a type's own word reaches. The error is a sentence for the person who wrote the type.
 */
export function selectEngine(
  type: WorkerType,
  engines: readonly Engine[],
  named: readonly Engine[] = [],
): Result<Engine, string> {
  const hasCommand = type.command !== null && type.command.length > 0;
  const name = type.engine === 'auto' ? automatic(type, engines) : type.engine;
  if (name === 'command' && !hasCommand) {
    return fail(`Worker type ${type.name} uses the engine command but names none. Add "command": ["program"] to it.`);
  }
  const all = [...engines, ...named];
  const engine = all.find((candidate) => candidate.name === name);
  if (engine === undefined) {
    const known = all.map((candidate) => candidate.name).join(', ');
    return fail(
      `Worker type ${type.name} wants the engine ${name}, which is not available here. Choose one of: ${known}.`,
    );
  }
  return ok(engine);
}

function automatic(type: WorkerType, engines: readonly Engine[]): string {
  if (type.command !== null && type.command.length > 0) {
    return 'command';
  }
  const asksModel = engines.find((engine) => engine.orderOf !== undefined);
  return type.template !== null && asksModel !== undefined ? asksModel.name : 'builtin';
}
