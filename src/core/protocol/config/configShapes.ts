import * as z from 'zod/mini';
import { parseCron } from '../workers/cronRule';
import { automaticRetries, engineNames, isolationNames, sharedEngineNames } from './configModel';
import { isProjectPath, isWritablePath } from './projectPath';

// Every message goes on after the path of the value that it is about, e.g. `types.audit.command must be …`.
const text = z.string('must be text').check(z.refine((value) => value.trim() !== '', 'must not be empty'));
const flag = z.boolean('must be true or false');
const count = wholeNumber(1);
const positive = z.number('must be a number').check(z.refine((value) => value > 0, 'must be more than 0'));
const path = text.check(z.refine(isProjectPath, 'must be a path inside the project, written with /'));
const writablePath = path.check(z.refine(isWritablePath, 'is off limits for workers; name another folder'));
const command = z.array(text, 'must be a list of texts').check(z.minLength(1, 'must name a program'));
const schedule = text.check(
  z.refine(
    (value) => value.trim() === '' || parseCron(value) !== null,
    'is no schedule; write minute, hour, day, month and weekday, e.g. 0 6 * * 1',
  ),
);
const env = z.record(z.string(), z.string('must be text'), 'must be an object of texts');

function wholeNumber(least: number): z.ZodMiniType<number> {
  return z.int('must be a whole number').check(z.gte(least, `must be ${String(least)} or more`));
}

function oneOf<const T extends readonly [string, ...string[]]>(words: T): z.ZodMiniType<T[number]> {
  const shape: z.ZodMiniType<T[number]> = z.enum(words, `must be one of ${words.join(', ')}`);
  return shape;
}

/** An object of these keys and no others. */
function objectOf<T extends z.core.$ZodLooseShape>(
  keys: T,
  unknown = 'is no key that is known here; take it out',
): z.ZodMiniObject<T, z.core.$strict> {
  return z.strictObject(keys, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? unknown : 'must be an object'),
  });
}

const retry = objectOf({
  automatic: z.optional(oneOf(automaticRetries)),
  max: z.optional(wholeNumber(0).check(z.refine((value) => value <= 2, 'must be 0, 1 or 2'))),
});

const limits = objectOf({
  minutes: z.optional(positive),
  outputMB: z.optional(positive),
  memoryMB: z.optional(positive),
  costUsd: z.optional(positive),
});

const restart = objectOf({
  max: z.optional(wholeNumber(0)),
  backoffSeconds: z.optional(z.array(positive, 'must be a list of numbers').check(z.minLength(1, 'must not be empty'))),
  resetAfterMinutes: z.optional(positive),
});

const howItRuns = {
  engine: z.optional(oneOf(engineNames)),
  isolation: z.optional(oneOf(isolationNames)),
  retry: z.optional(retry),
  graceSeconds: z.optional(positive),
  limits: z.optional(limits),
  env: z.optional(env),
};

export const versionShape = z.literal(1, 'must be 1; nothing else in this file was read');

/** The sections are read on their own. */
export const topShape = objectOf({
  $schema: z.optional(z.unknown()),
  version: z.optional(z.unknown()),
  maxConcurrent: z.optional(count),
  limits: z.optional(z.unknown()),
  defaults: z.optional(z.unknown()),
  types: z.optional(z.unknown()),
  agents: z.optional(z.unknown()),
  session: z.optional(z.unknown()),
  triggers: z.optional(z.unknown()),
  features: z.optional(z.unknown()),
});

export const projectLimitsShape = objectOf({ totalLogsMB: z.optional(positive) });

/** `command` runs nothing by itself, so it is no default. */
export const defaultsShape = objectOf({ ...howItRuns, engine: z.optional(oneOf(sharedEngineNames)) });

/** The names inside are read one by one. */
export const typesShape = z.record(z.string(), z.unknown(), 'must be an object of types');
export const agentsShape = z.record(z.string(), z.unknown(), 'must be an object of agents');

/** What may be said about a type that the protocol defines: how it runs, not what it is. */
export const overrideShape = objectOf(
  { ...howItRuns, schedule: z.optional(schedule), image: z.optional(text) },
  'cannot be changed: the protocol says what this type is',
);

export const typeShape = objectOf({
  ...howItRuns,
  description: z.string('is missing or not text').check(z.refine((value) => value.trim() !== '', 'must not be empty')),
  model: z.optional(text),
  template: z.optional(path),
  command: z.optional(command),
  mayWrite: z.optional(z.array(writablePath, 'must be a list of paths')),
  schedule: z.optional(schedule),
  image: z.optional(text),
});

export const agentShape = objectOf({
  command: z.optional(command),
  engine: z.optional(oneOf(engineNames)),
  prompt: z.optional(text),
  model: z.optional(text),
  env: z.optional(env),
  cwd: z.optional(path),
  start: z.optional(oneOf(['session', 'demand'])),
  isolation: z.optional(oneOf(isolationNames)),
  restart: z.optional(restart),
  graceSeconds: z.optional(positive),
  limits: z.optional(limits),
});

export const sessionShape = objectOf({
  dir: z.optional(path),
  mode: z.optional(oneOf(['event-driven', 'sequential'])),
  compatiblePipeNames: z.optional(flag),
  maxIterations: z.optional(count),
});

export const triggersShape = objectOf({
  consolidateAfterCases: z.optional(z.nullable(count)),
  healthCheckAfterBtoTest: z.optional(flag),
});

export const featuresShape = objectOf({
  taskHomes: z.optional(z.array(text, 'must be a list of folders')),
  lateSeconds: z.optional(positive),
  staleSeconds: z.optional(positive),
  silentSeconds: z.optional(positive),
});
