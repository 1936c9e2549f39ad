import type { Home, RunConfig } from '@data-designer/config';
import { Float, parseJson, type Plan, type Pricing, stringifyJson } from '@data-designer/core';
import { givenOptions, type OptionsOf, runOptions } from '@data-designer/declaration';
import type { WorkflowParts } from './check-workflow.ts';
import type { DeclaredStage, WorkflowRunOptions } from './stage.ts';

/** A workflow with all that another machine needs to continue it; the keys of its models are not part of it. */
export interface FlowRecord {
  readonly name: string;
  readonly stages: readonly DeclaredStage[];
  readonly options: OptionsOf<'run'>;
  readonly runConfig: RunConfig;
  /** The models and tools of configs that declare none, from the home folder of the first coordinator. */
  readonly home: Pick<Home, 'models' | 'toolConfigs'>;
  /** The prices of the models, by provider and model. */
  readonly prices: Readonly<Record<string, Pricing>>;
}

/** What a coordinator leaves for its successor: the workflow as text, or why no other machine can continue it. */
export function successorOf(
  { name, stages, maker }: WorkflowParts,
  options: WorkflowRunOptions,
  plans: readonly Plan[],
): { readonly flow: string } | { readonly reason: string } {
  const declared: DeclaredStage[] = [];
  for (const stage of stages) {
    const { config, options: shape } = stage;
    const part = typeof config === 'function' ? 'config' : shape.map ? 'map' : undefined;
    if (part !== undefined) return { reason: codeOf(stage.name, `its ${part} is a function`) };
    const { document, source, spelling, origin, folder = process.cwd() } = config as Exclude<typeof config, Function>;
    if (!isPlain(document)) return { reason: codeOf(stage.name, 'its config contains functions') };
    const declaration = { document, source, folder, ...(spelling && { spelling }), ...(origin && { origin }) };
    declared.push({ name: stage.name, config: declaration, options: shape });
  }
  const { models, toolConfigs } = maker.home;
  const record: FlowRecord = {
    name,
    stages: declared,
    // What this run has made so far belongs to it.
    options: {
      ...givenOptions(runOptions, { ...options }, ({ recorded = false }) => recorded),
      resume: options.resume === 'if_possible' ? 'if_possible' : 'always',
    },
    runConfig: maker.settings(),
    home: { models, toolConfigs },
    prices: pricesOf(plans),
  };
  return { flow: stringifyJson(record) };
}

/** Reads what `successorOf` has written. */
export function readFlowRecord(text: string): FlowRecord {
  return parseJson(text) as unknown as FlowRecord;
}

function codeOf(stage: string, what: string): string {
  return `stage '${stage}' exists only in the program that began the workflow: ${what}`;
}

function pricesOf(plans: readonly Plan[]): FlowRecord['prices'] {
  const priced = plans.flatMap(({ models, resources }) =>
    Object.values(models).flatMap(({ resource, model, pricing }) => {
      const provider = resources.find(({ id }) => id === resource)?.provider;
      return pricing && provider !== undefined ? [[`${provider}/${model}`, pricing] as const] : [];
    }),
  );
  return Object.fromEntries(priced);
}

/** Whether a value is data that JSON holds. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null || value instanceof Float) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && Object.values(value).every(isPlain);
}
