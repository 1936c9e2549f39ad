import { isDeepStrictEqual } from 'node:util';
import {
  type ArrowField,
  DataDesignerError,
  messageFields,
  type Plan,
  rowsIn,
  type Segment,
} from '@data-designer/core';

/** The plan of the earlier run. */
export interface PriorPlan {
  readonly path: string;
  readonly plan: Plan;
  /** Whether the dataset has rows or journals. */
  readonly hasAnswers: boolean;
}

/**
 * Continues an earlier plan: keeps its seed, row groups and learned capabilities, and adds a segment for new rows. Throws
 * `dataset/incompatible` where the new plan would make other rows than the existing ones.
 */
export function continuePlan(compiled: Plan, prior: PriorPlan, seed: number | null): Plan {
  const { path, plan: before } = prior;
  const plan = withTypesOf(compiled, before);
  const refuse = (reason: string) => new DataDesignerError('dataset/incompatible', { path, reason });
  if (plan.identity !== before.identity) throw refuse('its configuration was another one, models and tools included');
  if (seed !== null && seed !== before.seed) throw refuse(`its seed is ${before.seed}, not ${seed}`);
  const kept = namesOf(before.dropped).join('\n');
  if (kept !== namesOf(plan.dropped).join('\n'))
    throw refuse('preserve_dropped_columns was another, or the columns dropped');
  const retyped = storedFields(plan).find((field) => !isDeepStrictEqual(field, fieldOf(before, field.name)));
  if (retyped) throw refuse(`its column '${retyped.name}' was of another type, or not there`);
  const had = rowsIn(before.segments);
  const wanted = rowsIn(plan.segments);
  if (wanted < had) throw refuse(`it was begun with ${had} rows, and ${wanted} are fewer`);
  const groupSize = plan.segments[0]?.groupSize ?? 1;
  const added: Segment[] = wanted > had ? [{ firstRow: had, rows: wanted - had, groupSize }] : [];
  const models = withKnownAbilities(plan.models, prior);
  return { ...plan, models, seed: before.seed, segments: [...before.segments, ...added] };
}

/**
 * The plan with the types that the dataset has where an earlier version stored the same values in another way: fewer fields
 * of a trace's messages, and JSON text for data that now has a type.
 */
function withTypesOf(plan: Plan, before: Plan): Plan {
  const stored = new Map(before.columns.flatMap(({ writes }) => writes).map((field) => [field.name, field]));
  const earlier = (field: ArrowField): ArrowField => {
    const own = stored.get(field.name);
    if (own?.json === true) return own;
    return own && messageFields(own.type) && messageFields(field.type) ? own : field;
  };
  return {
    ...plan,
    columns: plan.columns.map((column) => ({ ...column, writes: column.writes.map(earlier) })),
    fields: plan.fields.map(earlier),
    dropped: plan.dropped?.map(earlier) ?? null,
  };
}

/** The fields of the written table and of the stored dropped columns. */
function storedFields({ fields, dropped }: Plan): readonly ArrowField[] {
  return [...fields, ...(dropped ?? [])];
}

function fieldOf(plan: Plan, wanted: string): ArrowField | undefined {
  return storedFields(plan).find(({ name }) => name === wanted);
}

/** Older versions recorded none. */
function namesOf(dropped: Plan['dropped'] | undefined): readonly string[] {
  return (dropped ?? []).map(({ name }) => name);
}

/**
 * Keeps learned capabilities, so that requests stay the same. Unknown ones are probed again only in a dataset without
 * answers; otherwise they count as missing.
 */
function withKnownAbilities(models: Plan['models'], { plan, hasAnswers }: PriorPlan): Plan['models'] {
  return Object.fromEntries(
    Object.entries(models).map(([alias, model]) => {
      const known = plan.models[alias]?.structuredOutput ?? model.structuredOutput;
      return [alias, { ...model, structuredOutput: known ?? (hasAnswers ? false : null) }];
    }),
  );
}
