import { type ArrowField, field, type Plan, type PlannedSelect, rowsIn } from '@data-designer/core';
import { ROW_ID } from '@data-designer/config';

/** A plan with a selection. */
export type SelectingPlan = Plan & { readonly select: PlannedSelect };

/** Whether a plan selects rows. */
export function isSelecting(plan: Plan): plan is SelectingPlan {
  return plan.select !== undefined;
}

/** The most candidates of a dataset, per accepted row, unless `max_candidates` says otherwise. */
const CANDIDATES_PER_ROW = 3;

/** The most candidates that a run may make. */
export function mostCandidates({ select, segments }: SelectingPlan): number {
  return select.maxCandidates ?? CANDIDATES_PER_ROW * rowsIn(segments);
}

/**
 * The plan that makes the first `rows` candidates: candidate i is row i of the plan without its selection. It stores every
 * column that a rule may read, dropped ones included; processors of the whole dataset run on the accepted rows.
 */
export function candidatePlan(plan: SelectingPlan, rows: number): Plan {
  const { select, ...candidates } = plan;
  const { groupSize = rows } = plan.segments[0] ?? {};
  const keepsVerdict = select.where !== null && plan.gate === undefined;
  const verdict = keepsVerdict && select.where !== null ? [field(select.where, 'bool')] : [];
  return {
    ...candidates,
    fields: [...plan.fields, ...verdict],
    dropped: plan.dropped ?? droppedFields(plan),
    processors: plan.processors.filter(({ stage }) => stage !== 'after_generation'),
    segments: [{ firstRow: 0, rows, groupSize }],
  };
}

/** The columns that are made and not written. */
function droppedFields({ columns, fields, select }: SelectingPlan): readonly ArrowField[] {
  const written = new Set(fields.map(({ name }) => name));
  const made = columns.flatMap(({ name, writes }) => (name === ROW_ID || name === select.where ? [] : writes));
  return made.filter(({ name }) => !written.has(name));
}

/** The plan without its selection, in which no row ends early: for a preview and for an estimate. */
export function withoutSelect(plan: Plan): Plan {
  const { select: _, gate: __, ...others } = plan;
  return others;
}
