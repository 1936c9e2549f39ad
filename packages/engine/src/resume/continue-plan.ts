import { isDeepStrictEqual } from 'node:util';
import { changedValues, describeChange } from '@data-designer/config/changes';
import {
  type ArrowField,
  DataDesignerError,
  type Plan,
  rowsIn,
  type Segment,
  type Violation,
} from '@data-designer/core';

/** The plan of the earlier run. */
export interface PriorPlan {
  readonly path: string;
  readonly plan: Plan;
  /** Whether the dataset has rows or journals. */
  readonly hasAnswers: boolean;
  /** Whether rows are written: other processors would make other ones. */
  readonly hasRows: boolean;
  /** The changes of the declaration since that run, if known. */
  readonly changes: readonly Violation[];
}

/**
 * Continues an earlier plan: keeps its seed, row groups and learned capabilities, and adds a segment for new rows. Throws
 * `dataset/incompatible` where the new plan would make other rows than the existing ones.
 */
export function continuePlan(plan: Plan, prior: PriorPlan, seed: number | null): Plan {
  const { path, plan: before } = prior;
  const refuse = (reason: string, remedy: string) =>
    new DataDesignerError('dataset/incompatible', { path, reason, remedy });
  const hasSameCells = !prior.hasRows && plan.cellIdentity !== undefined && plan.cellIdentity === before.cellIdentity;
  if (plan.identity !== before.identity && !hasSameCells) throw otherDeclaration(plan, prior);
  if (seed !== null && seed !== before.seed) {
    throw refuse(`its seed is ${before.seed}, not ${seed}`, `Ask for the seed ${before.seed}, or for none.`);
  }
  const kept = droppedNames(before);
  if (kept !== droppedNames(plan)) {
    const reason = `it was started with these stored dropped columns: ${kept}; they are now: ${droppedNames(plan)}`;
    throw refuse(reason, "Restore the run setting 'preserve_dropped_columns' and the dropped columns.");
  }
  const fields = prior.hasRows ? storedFields(plan) : [];
  const retyped = fields.find((field) => !isDeepStrictEqual(field, fieldOf(before, field.name)));
  if (retyped) throw refuse(...retypedColumn(retyped, fieldOf(before, retyped.name)));
  const had = rowsIn(before.segments);
  const wanted = rowsIn(plan.segments);
  if (wanted < had)
    throw refuse(
      `it was started with ${had} rows, and this run asks for only ${wanted}`,
      `Ask for ${had} rows or more.`,
    );
  // NeMo Data Designer computes the row groups of a dataset from one size.
  const { groupSize = 1 } = (before.layout === 'python' ? before : plan).segments[0] ?? {};
  const added: Segment[] = wanted > had ? [{ firstRow: had, rows: wanted - had, groupSize }] : [];
  const models = withKnownAbilities(plan.models, prior);
  const { layout: _, ...others } = plan;
  const layout = before.layout === undefined ? {} : { layout: before.layout };
  return { ...others, ...layout, models, seed: before.seed, segments: [...before.segments, ...added] };
}

/** The fields of the written table and of the stored dropped columns. */
function storedFields({ fields, dropped }: Plan): readonly ArrowField[] {
  return [...fields, ...(dropped ?? [])];
}

function fieldOf(plan: Plan, wanted: string): ArrowField | undefined {
  return storedFields(plan).find(({ name }) => name === wanted);
}

/** The names of the stored dropped columns. */
function droppedNames({ dropped }: Pick<Plan, 'dropped'>): string {
  return (dropped ?? []).map(({ name }) => `'${name}'`).join(', ') || 'none';
}

function retypedColumn({ name, type }: ArrowField, before: ArrowField | undefined): [reason: string, remedy: string] {
  if (!before) return [`it was started without the column '${name}'`, 'Remove the column.'];
  const reason = `the type of its column '${name}' is ${JSON.stringify(before.type)}, not ${JSON.stringify(type)}`;
  return [reason, 'Restore the type of the column.'];
}

/** The parts of a plan that run settings and the home folder change. */
function shaped({ columns, tools }: Plan): object {
  return { columns: Object.fromEntries(columns.map(({ name, config }) => [name, config])), tools };
}

/** The error of another declaration, with its changes; without any, a run setting or the home folder has changed it. */
function otherDeclaration(plan: Plan, { path, plan: before, changes }: PriorPlan): DataDesignerError {
  const others = changes.length > 0 ? [] : changedValues(shaped(before), shaped(plan));
  const said = others.map((change): Violation => {
    const message = describeChange(change);
    const remedy = 'Restore the run setting, or the tool config of the home folder.';
    return { stage: 'run', type: 'changed', level: 'ERROR', path: change.path.join('.'), message, remedy };
  });
  const reason = 'its configuration has changed';
  const isAdded = changes.some(
    ({ column }) => column !== undefined && before.columns.every(({ name }) => name !== column),
  );
  const source = `seed_config: { source: { seed_type: dataset, path: ${JSON.stringify(path)} } }`;
  const remedy = `Undo the change. To add a column to the rows that are there, declare it in a config that reads them: ${source}.`;
  return new DataDesignerError('dataset/incompatible', {
    path,
    reason,
    ...(isAdded && { remedy }),
    changes: [...changes, ...said],
  });
}

/**
 * Keeps learned capabilities and, in a dataset with answers, the rules of requests, so that requests stay the same. Unknown ones are probed again only in a dataset without
 * answers; otherwise they count as missing.
 */
function withKnownAbilities(models: Plan['models'], { plan, hasAnswers }: PriorPlan): Plan['models'] {
  return Object.fromEntries(
    Object.entries(models).map(([alias, model]) => {
      const before = plan.models[alias];
      const { requestRules: now, ...others } = model;
      const known = before?.structuredOutput ?? model.structuredOutput;
      const requestRules = before && hasAnswers ? before.requestRules : now;
      const kept = requestRules === undefined ? others : { ...others, requestRules };
      return [alias, { ...kept, structuredOutput: known ?? (hasAnswers ? false : null) }];
    }),
  );
}
