import {
  fieldsOf,
  itemsOf,
  messageFields,
  type Plan,
  type PlannedColumn,
  type Row,
  stringOf,
} from '@data-designer/core';
import { isToolFailure } from '@data-designer/core/tool-failure';
import type { MadeCall } from '@data-designer/engine/replayed-environments';
import { stateChanges } from '@data-designer/environments/compare-states';
import { stateFields, statesIn, type ShownState } from '@data-designer/environments/state-history';
import type { RecordedState } from '../../api/record.ts';
import { cutCell, IN_RECORD } from '../cut-cell.ts';
import { contentOf } from './messages.ts';

/** The row whose states are shown. */
interface RecordedRow {
  readonly row: Row;
  readonly planRow: number | null;
  /** Whether to say what each tool call changed. */
  readonly byCall: boolean;
}

/** The states of environments in a row, each compared with the state before it that the row has. */
export function storedStates(
  { columns }: Pick<Plan, 'columns'>,
  row: Readonly<Record<string, unknown>>,
): readonly RecordedState[] {
  return statesIn(row, stateFields(columns)).map(storedState);
}

/**
 * The states in a row. Where plan and row tell with which state an environment began, it is opened again, and the calls of
 * stored conversations are made again, so that each says what it changed.
 */
export async function recordedStates(
  plan: Plan,
  { row, planRow, byCall }: RecordedRow,
): Promise<readonly RecordedState[]> {
  const states = statesIn(row, stateFields(plan.columns));
  const columns = new Map(plan.columns.map((column) => [column.name, column]));
  const begun = states.filter(({ since, earlier, column }) => {
    const reads = columns.get(column)?.reads ?? [];
    return since === null && [...reads, ...earlier.map(({ field }) => field)].every((name) => name in row);
  });
  if (planRow === null || begun.length === 0) return states.map(storedState);
  const { replayedEnvironments } = await import('@data-designer/engine/replayed-environments');
  const names = new Set(begun.map(({ environment }) => environment));
  const calls = new Map(states.map(({ column }) => [column, byCall ? callsOf(columns.get(column), row) : []]));
  const made = byCall ? states.map((state) => ({ ...state, calls: calls.get(state.column) ?? [] })) : [];
  const replayed = await replayedEnvironments(plan, { row, rowIndex: planRow, names, columns: made });
  return states.map((state) => {
    const found = replayed.get(state.environment);
    const changes = found?.changes.get(state.column);
    const places = calls.get(state.column) ?? [];
    const shown = {
      ...storedState(state),
      calls: changes
        ? places.flatMap(({ number, message, call }) => {
            const own = changes.get(number);
            return own ? [{ message, call, ...own }] : [];
          })
        : null,
    };
    if (!found || !begun.includes(state)) return shown;
    const changed = stateChanges(found.began, state.after);
    return { ...shown, before: { field: null, value: cutCell(found.began, IN_RECORD), ...changed } };
  });
}

/** A call with its place in the conversation. */
interface PlacedCall extends MadeCall {
  readonly message: number;
  readonly call: number;
}

/** The tool calls of the conversation that a column wrote, with their results. */
function callsOf(column: Pick<PlannedColumn, 'writes'> | undefined, row: Row): readonly PlacedCall[] {
  const field = column?.writes.find(({ type }) => messageFields(type) !== undefined);
  const messages = itemsOf(field && row[field.name]).map(fieldsOf);
  const results = new Map(messages.map((message) => [message['tool_call_id'], contentOf(message) ?? '']));
  const calls: PlacedCall[] = [];
  // Requests and calls are numbered together.
  let number = 0;
  for (const [message, { role, tool_calls: made }] of messages.entries()) {
    if (role !== 'assistant') continue;
    number++;
    for (const [call, one] of itemsOf(made).entries()) {
      const { id, function: asked } = fieldsOf(one);
      const { name, arguments: given } = fieldsOf(asked);
      const result = results.get(id) ?? '';
      const hasFailed = isToolFailure(result);
      calls.push({
        number: number++,
        name: stringOf(name) ?? '',
        arguments: stringOf(given) ?? '',
        result,
        hasFailed,
        message,
        call,
      });
    }
  }
  return calls;
}

function storedState({ field, column, environment, after, since, before, changed }: ShownState): RecordedState {
  return {
    field,
    column,
    environment,
    after: cutCell(after, IN_RECORD),
    calls: null,
    before: changed ? { field: since, value: cutCell(before, IN_RECORD), ...changed } : null,
  };
}
