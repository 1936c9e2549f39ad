import type { Plan, PlannedAttempts } from '@data-designer/core';

/** A plan for a rehearsal. */
export interface RehearsedPlan {
  readonly plan: Plan;
  /** Tool aliases that models are not offered. */
  readonly withoutTools: readonly string[];
}

/** The changes of a plan for its rehearsal. */
export interface RehearsedPlanOptions {
  readonly sampleRows: number;
  /** Whether tools of this provider may be called; those of environments always are. */
  readonly mayCall: (provider: string) => boolean;
}

/** Reduces a plan to its first rows: without a budget, rates and probes, and without tools that may not be called. */
export function rehearsedPlan(real: Plan, { sampleRows, mayCall }: RehearsedPlanOptions): RehearsedPlan {
  const [first] = real.segments;
  // The world of a row is the row's own: its tools change nothing else. A server may reach further.
  const servers = new Set(real.resources.flatMap(({ provider, rowServer }) => (rowServer ? provider : [])));
  const worlds = new Set(real.environments?.map(({ name }) => name)).difference(servers);
  const withoutTools = Object.values(real.tools).flatMap(({ alias, providers }) =>
    providers.every((name) => worlds.has(name) || mayCall(name)) ? [] : alias,
  );
  const left = new Set(withoutTools);
  const tools = Object.fromEntries(
    Object.entries(real.tools).map(([alias, config]) => [
      alias,
      left.has(alias) ? { ...config, providers: [], allowTools: null } : config,
    ]),
  );
  const used = new Set(Object.values(tools).flatMap(({ providers }) => providers));
  const models = Object.entries(real.models).map(([alias, model]) => {
    return [alias, { ...model, structuredOutput: model.structuredOutput ?? true }] as const;
  });
  const plan: Plan = {
    ...real,
    models: Object.fromEntries(models),
    tools,
    // Remote validators stay in the plan without their server, so they are not called.
    resources: real.resources
      .filter(({ kind, provider }) => kind !== 'tools' || used.has(provider))
      .map(({ server: _, requestsPerMinute: __, tokensPerMinute: ___, ...resource }) => resource),
    segments: [{ firstRow: 0, rows: sampleRows, groupSize: first?.groupSize ?? sampleRows }],
    maxCost: null,
    // A sample that loses all its rows to simulated answers would tell nothing of the columns after the attempts.
    ...(real.attempts && { attempts: real.attempts.map(keepingRows) }),
  };
  return { plan, withoutTools };
}

function keepingRows(block: PlannedAttempts): PlannedAttempts {
  return block.onExhausted === 'drop_row' ? { ...block, onExhausted: 'keep_last' } : block;
}
