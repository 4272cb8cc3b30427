import { fail, type Result } from '../base/result';
import { formatTimestamp } from '../protocol/workers/timestamp';
import type { Suggestion } from '../protocol/workers/triggers';
import { ensureWorkersDir } from '../registry/paths';
import type { Outcome, Refusal, StartedWorker, SuggestionAnswer } from './api';
import type { HostContext } from './hostContext';

export interface AnswerContext {
  readonly host: HostContext;
  /** The suggestions that hold now. */
  readonly suggestions: readonly Suggestion[];
  readonly start: (type: string) => Promise<Outcome<StartedWorker>>;
}

/**
 * Carries out what a person made of a suggestion. What is accepted starts at once; a refused start (the limit counts)
 * leaves the suggestion standing. What is remembered is not suggested again.
 */
export async function answerSuggestion(
  { id, accept }: SuggestionAnswer,
  { host, suggestions, start }: AnswerContext,
): Promise<Outcome<StartedWorker | null>> {
  const suggestion = suggestions.find((candidate) => candidate.id === id);
  if (suggestion === undefined) {
    const message = 'This suggestion does not hold any more. Look at the status for what does.';
    return fail({ code: 'not-found', message });
  }
  const started = accept ? await start(suggestion.type) : null;
  if (started?.ok === false) {
    return started;
  }
  const answer = { answer: accept ? 'started' : 'dismissed', at: formatTimestamp(host.clock.now()) } as const;
  const kept = await remember(host, (answers) => new Map([...answers, [id, answer]]));
  return kept.ok ? { ok: true, value: started?.value ?? null } : kept;
}

/** Remembers that a bto-test ran just now, for runs that leave nothing on disk (workers.md §6). */
export async function noteBtoTest(host: HostContext): Promise<Outcome<null>> {
  const folder = await ownFolder(host);
  const btoTestAt = host.clock.now();
  return folder.ok ? await host.planFiles.updateSuggestions((memory) => ({ ...memory, btoTestAt })) : folder;
}

type Answers = Awaited<ReturnType<HostContext['planFiles']['readSuggestions']>>['answers'];

async function remember(host: HostContext, change: (answers: Answers) => Answers): Promise<Outcome<null>> {
  const folder = await ownFolder(host);
  return folder.ok
    ? await host.planFiles.updateSuggestions((memory) => ({ ...memory, answers: change(memory.answers) }))
    : folder;
}

/** A person's word is to be kept, so it may make the folder, as a start does. */
async function ownFolder({ workersDir, refused, trusted }: HostContext): Promise<Result<string, Refusal>> {
  if (!trusted) {
    const message = 'Nothing is remembered in an untrusted workspace. Trust this workspace first.';
    return fail({ code: 'untrusted', message });
  }
  return refused === null ? await ensureWorkersDir(workersDir) : fail({ code: 'unsafe-root', message: refused });
}
