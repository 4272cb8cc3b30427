import type { WorkerType } from './workerType';

/** What the two placeholders stand for. */
export interface TemplateValues {
  readonly workerId: string;
  readonly outputDir: string;
}

/**
 * Replaces `{WORKER_ID}` and `{OUTPUT_DIR}`, literally and in one pass; every other brace survives, and nothing in a
 * value is interpreted (workers.md §2). A trailing slash of `outputDir` is left out.
 */
export function fillTemplate(text: string, values: TemplateValues): string {
  const outputDir = withoutSlash(values.outputDir);
  return text.replace(/\{WORKER_ID\}|\{OUTPUT_DIR\}/g, (placeholder) =>
    placeholder === '{WORKER_ID}' ? values.workerId : outputDir,
  );
}

/** The file that completes the template which a type shares with another one, or null (workers.md §2). */
export function addendumFileOf(type: WorkerType): string | null {
  return type.source === 'protocol' && type.name === 'pattern-analysis' ? 'pattern-analysis.md' : null;
}

/** The template with what the addendum's text adds to it. */
export function withAddendum(template: string, addendum: string): string {
  return `${template.trimEnd()}\n\n${addendum.trimStart()}`;
}

/** What a prompt is made of. */
export interface PromptParts extends TemplateValues {
  readonly template: string;
  readonly type: WorkerType;
  /** The absolute project root. */
  readonly root: string;
  /** The git worktree of its own in which it edits, absolute, and then so is `outputDir`; absent or null: it has none. */
  readonly worktree?: string | null;
}

/** A worker's whole prompt: a header with the document's five MUST items and the isolation rules, then the template. */
export function promptFor(parts: PromptParts): string {
  return `${headerOf(parts)}\n\n${fillTemplate(parts.template, parts).trim()}\n`;
}

/** What a worker is told that goes on in its engine's session, behind a rate limit. */
export function goOnPrompt({ workerId, outputDir }: TemplateValues): string {
  return [
    `You are worker ${workerId} again. The service took no requests for a while; it does now.`,
    'Go on where you left off, by the same instructions and rules.',
    `Look first whether ${withoutSlash(outputDir)}/stop-requested exists; if it does, finish with status "stopped".`,
    '',
  ].join('\n');
}

function headerOf({ workerId, type, root, worktree = null, outputDir: folder }: PromptParts): string {
  const outputDir = withoutSlash(folder);
  const relativeTo = worktree === null ? 'relative to the project root; ' : '';
  return [
    '# Background worker',
    '',
    `- Worker id: ${workerId}`,
    `- Type: ${type.name}`,
    `- Output dir: ${outputDir} (${relativeTo}results go to ${outputDir}/output/)`,
    `- Project root: ${root}`,
    ...(worktree === null ? [] : [`- Your git worktree: ${worktree}. Edit there and nowhere else in the project.`]),
    ...(type.name === 'dream-cycle' ? ['- TRIGGER_REASON=manual'] : []),
    '',
    'You MUST:',
    `- follow the instructions below completely, as worker ${workerId}`,
    `- write ${outputDir}/status.json at the start (status "running") and at the end ("completed", "failed" or "stopped")`,
    `- check for ${outputDir}/stop-requested between major operations; once it exists, finish with status "stopped"`,
    `- write what went wrong to ${outputDir}/error.log before you finish with status "failed"`,
    '',
    'Isolation rules:',
    ...isolationRules(type, outputDir, worktree),
  ].join('\n');
}

function isolationRules(type: WorkerType, outputDir: string, worktree: string | null): readonly string[] {
  const allowed = [`${outputDir}/`, ...(worktree === null ? [] : [`${worktree}/`]), ...type.mayWrite].join(', ');
  return [
    `- Write only below: ${allowed}`,
    '- Never change anything in researches/, features/, .claude/, nor CLAUDE.md',
    '- Never change the registry, .keysarium/workers/registry.json',
    `- TOOLKIT_HARVEST.md may be read; propose changes to it in ${outputDir}/output/harvest-delta.md`,
    '- Do not start sub-agents',
  ];
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '');
}
