import type { Plan, Row } from '@data-designer/core';
import { stateChanges } from '@data-designer/environments/compare-states';
import { stateFields, statesIn, type ShownState } from '@data-designer/environments/state-history';
import type { RecordedState } from '../../api/record.ts';
import { cutCell, IN_RECORD } from '../cut-cell.ts';

/** The states of environments in a row, each compared with the state before it that the row has. */
export function storedStates(
  { columns }: Pick<Plan, 'columns'>,
  row: Readonly<Record<string, unknown>>,
): readonly RecordedState[] {
  return statesIn(row, stateFields(columns)).map(storedState);
}

/** The states in a row; the states with which environments began are made again where plan and row tell them. */
export async function recordedStates(
  plan: Plan,
  { row, planRow }: { readonly row: Row; readonly planRow: number | null },
): Promise<readonly RecordedState[]> {
  const states = statesIn(row, stateFields(plan.columns));
  const columns = new Map(plan.columns.map((column) => [column.name, column]));
  const begun = states.filter(({ since, earlier, column }) => {
    const reads = columns.get(column)?.reads ?? [];
    return since === null && [...reads, ...earlier.map(({ field }) => field)].every((name) => name in row);
  });
  if (planRow === null || begun.length === 0) return states.map(storedState);
  const { openedStates } = await import('@data-designer/engine/opened-states');
  const names = new Set(begun.map(({ environment }) => environment));
  const opened = await openedStates(plan, { row, rowIndex: planRow, names });
  return states.map((state) => {
    const before = begun.includes(state) ? opened.get(state.environment) : undefined;
    if (before === undefined) return storedState(state);
    const changed = stateChanges(before, state.after);
    return { ...storedState(state), before: { field: null, value: cutCell(before, IN_RECORD), ...changed } };
  });
}

function storedState({ field, column, environment, after, since, before, changed }: ShownState): RecordedState {
  return {
    field,
    column,
    environment,
    after: cutCell(after, IN_RECORD),
    before: changed ? { field: since, value: cutCell(before, IN_RECORD), ...changed } : null,
  };
}
