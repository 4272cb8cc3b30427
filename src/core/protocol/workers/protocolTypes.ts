import type { WorkerType } from './workerType';

function protocolType(
  type: Pick<WorkerType, 'name' | 'model' | 'template' | 'description'> & { readonly mayWrite?: readonly string[] },
): WorkerType {
  return {
    mayWrite: [],
    ...type,
    command: null,
    engine: 'auto',
    env: {},
    graceSeconds: null,
    source: 'protocol',
  };
}

/** The four types of the document in the order and the words of its `list`; their models may not be overridden. */
export const protocolTypes: readonly WorkerType[] = [
  protocolType({
    name: 'consolidate',
    model: 'sonnet',
    template: 'consolidate.md',
    description: 'Scan completed researches for patterns, update TOOLKIT_HARVEST.md',
  }),
  protocolType({
    name: 'export-brain',
    model: 'haiku',
    template: 'brain-export.md',
    description: 'Non-blocking brain export to .keysarium/exports/',
    mayWrite: ['.keysarium/exports/'],
  }),
  protocolType({
    name: 'health-check',
    model: 'haiku',
    template: 'health-check.md',
    description: 'Verify skill trust tiers, check for stale data',
  }),
  protocolType({
    name: 'pattern-analysis',
    model: 'sonnet',
    template: 'consolidate.md',
    description: 'Analyze reward data and trends across cases',
  }),
];

/** Seen in real registries, made by another command. It starts only where the project has its template. */
export const dreamCycleType: WorkerType = protocolType({
  name: 'dream-cycle',
  model: 'sonnet',
  template: 'dream-cycle.md',
  description: 'Find insights across the project (.keysarium/insights/)',
  mayWrite: ['.keysarium/insights/'],
});

/** The protocol's own type of that name, `dream-cycle` included, or null. */
export function protocolTypeNamed(name: string): WorkerType | null {
  return [...protocolTypes, dreamCycleType].find((type) => type.name === name) ?? null;
}

/** The model that the routing table gives a type; `none` where the table does not know it. */
export function modelOfType(name: string): string {
  return protocolTypeNamed(name)?.model ?? 'none';
}
