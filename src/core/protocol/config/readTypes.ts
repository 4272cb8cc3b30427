import type * as z from 'zod/mini';
import { protocolTypeNamed } from '../workers/protocolTypes';
import { isWorkerTypeName } from '../workers/workerId';
import type { DefaultsConfig, OwnWorkerType, RunConfig, TypeOverride, WorkersConfig } from './configModel';
import { overrideShape, typeShape, typesShape } from './configShapes';
import type { ConfigPath, ConfigSource } from './configSource';
import { withDefaults } from './withDefaults';

/** Reads `types`: own types, and how types of the protocol are to run. What is faulty is left out and reported. */
export function readTypes(source: ConfigSource, defaults: DefaultsConfig): Pick<WorkersConfig, 'types' | 'overrides'> {
  source.read(['types'], typesShape, 'leave out the whole');
  const types: OwnWorkerType[] = [];
  const overrides: TypeOverride[] = [];
  for (const name of source.keysAt(['types'])) {
    if (protocolTypeNamed(name) !== null) {
      overrides.push(...readOverride(source, name, defaults));
    } else {
      types.push(...readOwnType(source, name, defaults));
    }
  }
  return { types, overrides };
}

function readOverride(source: ConfigSource, name: string, defaults: DefaultsConfig): readonly TypeOverride[] {
  const path = ['types', name];
  const raw = source.read(path, overrideShape, 'leave out the whole');
  if (raw?.engine === 'command') {
    source.report([...path, 'engine'], 'cannot be command: the protocol says what this type does');
    return [];
  }
  if (raw?.isolation === 'container') {
    source.report([...path, 'isolation'], 'cannot be container: that is for types with a command of their own');
    return [];
  }
  return raw === null ? [] : [{ name, ...runOf(raw, defaults) }];
}

function readOwnType(source: ConfigSource, name: string, defaults: DefaultsConfig): readonly OwnWorkerType[] {
  const path = ['types', name];
  if (!isWorkerTypeName(name)) {
    source.reportKey(path, 'must be named with small letters, digits and single dashes');
    return [];
  }
  const raw = source.read(path, typeShape, 'leave out the whole');
  if (raw === null || !runsSomething(source, path, raw) || !isContained(source, path, raw)) {
    return [];
  }
  const command = raw.command ?? null;
  const run = runOf(raw, defaults);
  return [
    {
      ...run,
      name,
      description: raw.description,
      model: raw.model ?? 'none',
      template: raw.template ?? null,
      mayWrite: raw.mayWrite ?? [],
      command,
      engine: command === null ? run.engine : 'command',
      source: 'workers.json',
    },
  ];
}

/** A type needs exactly one of `template` and `command`, and an engine that fits it. */
function runsSomething(source: ConfigSource, path: ConfigPath, raw: z.infer<typeof typeShape>): boolean {
  const { command, template, engine = 'auto' } = raw;
  if ((command === undefined) === (template === undefined)) {
    source.reportKey(path, 'needs either a template or a command');
    return false;
  }
  const fits = command === undefined ? engine !== 'command' : engine === 'command' || engine === 'auto';
  if (!fits) {
    const advice = command === undefined ? 'needs a command instead of a template' : 'cannot run a command';
    source.report([...path, 'engine'], `${engine} ${advice}`);
  }
  return fits;
}

/** What runs in a container is a command, and the image is the person's choice. */
function isContained(source: ConfigSource, path: ConfigPath, raw: z.infer<typeof typeShape>): boolean {
  if (raw.isolation !== 'container' || (raw.image !== undefined && raw.command !== undefined)) {
    return true;
  }
  const missing = raw.image === undefined ? 'an image' : 'a command';
  source.report([...path, 'isolation'], `container needs ${missing}; add it, or choose another isolation`);
  return false;
}

function runOf(raw: z.infer<typeof overrideShape>, defaults: DefaultsConfig): RunConfig {
  const { retry, limits, env, engine, isolation, graceSeconds, schedule, image } = raw;
  return {
    ...withDefaults(defaults, { engine, isolation, graceSeconds }),
    retry: withDefaults(defaults.retry, retry ?? null),
    limits: withDefaults(defaults.limits, limits ?? null),
    env: { ...defaults.env, ...env },
    schedule: schedule ?? null,
    image: image ?? null,
  };
}
