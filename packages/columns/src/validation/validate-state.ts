import {
  type Cell,
  type CellValue,
  messageOf,
  type Row,
  type Setting,
  unboxed,
  type WrittenValues,
} from '@data-designer/core';
import { compareStates, isEqual, shown } from '@data-designer/environments/compare-states';
import { compileTemplate, compileValue, isTemplate } from '@data-designer/template';
import { STATE, withBraces } from './state-rules.ts';
import { verdictCell } from './target-verdicts.ts';
import type { StateParams } from './validator-params.ts';

/** The targets and the rules of a validation of states. */
export interface StateValidation extends Omit<StateParams, 'validatorType'> {
  readonly targetColumns: readonly string[];
}

interface Difference {
  /** Set where the query of the check cannot run, which says nothing about the state. */
  readonly isUnknown?: true;
  readonly check: string | null;
  readonly path: string | null;
  readonly expected: string | null;
  readonly found: string | null;
}

/** Judges a state; gives what differs. */
type Judge = (state: CellValue, row: Row) => Promise<readonly Difference[]>;

/** Makes the cells of a validation of states; its expressions are compiled once. */
export function validateState(
  { targetColumns, checks, sameAs, ignore }: StateValidation,
  { templates: mode }: Setting,
): (cell: Cell) => Promise<WrittenValues> {
  const judges: readonly Judge[] = [
    ...(sameAs === null ? [] : [equalTo(compileValue(sameAs, { mode }), ignore)]),
    ...(checks.length === 0 ? [] : [checkedBy(checks, mode)]),
  ];
  const verdictOn = async (state: CellValue, row: Row): Promise<CellValue> => {
    // A column that was skipped or failed left no state.
    if (state === null) return { is_valid: null, differences: [] };
    const found: Difference[] = [];
    for (const judge of judges) found.push(...(await judge(state, row)));
    const isWrong = found.some(({ isUnknown }) => isUnknown !== true);
    const differences = found.map(({ isUnknown: _, ...one }) => one);
    return { is_valid: isWrong ? false : found.length > 0 ? null : true, differences };
  };
  return ({ row }) => verdictCell(row, targetColumns, (state) => verdictOn(state, row));
}

function equalTo(valueOf: (row: Row) => CellValue, ignore: readonly string[]): Judge {
  return (state, row) => {
    const differences = compareStates(valueOf(row), state, ignore);
    return Promise.resolve(differences.map((one) => ({ check: null, ...one })));
  };
}

type Checks = StateParams['checks'];

function checkedBy(checks: Checks, mode: Setting['templates']): Judge {
  const compiled = checks.map(({ name, sql, expr, equals, isTrue }) => {
    const valueOf = expr === undefined ? undefined : compileValue(withBraces(expr), { mode });
    const wanted = typeof equals === 'string' && isTemplate(equals) ? compileValue(equals, { mode }) : () => equals;
    const queryOf = sql !== undefined && isTemplate(sql) ? compileTemplate(sql, { mode }) : () => sql ?? '';
    return { name, queryOf, valueOf, wanted, isTrue: equals === undefined ? (isTrue ?? true) : undefined };
  });
  return async (state, row) => {
    // SQLite is loaded where a check needs it.
    using tables = checks.some(({ sql }) => sql !== undefined) ? await opened(state) : undefined;
    const record = { ...row, [STATE]: state };
    return compiled.flatMap(({ name, queryOf, valueOf, wanted, isTrue }): Difference[] => {
      const found = valueOf
        ? { value: valueOf(record) }
        : (tables?.query(queryOf(record)) ?? { reason: 'it has no SQL' });
      if ('reason' in found) {
        return [{ isUnknown: true, check: name, path: null, expected: null, found: found.reason }];
      }
      const value = unboxed(found.value);
      if (isTrue !== undefined) {
        const isMet = (value !== null && value !== false && value !== 0 && value !== '') === isTrue;
        return isMet ? [] : [{ check: name, path: null, expected: String(isTrue), found: shown(value) }];
      }
      const given = (wanted(record) ?? null) as CellValue;
      // SQL has no booleans.
      const expected = typeof given === 'boolean' && valueOf === undefined ? Number(given) : given;
      return isEqual(expected, value)
        ? []
        : [{ check: name, path: null, expected: shown(expected), found: shown(value) }];
    });
  };
}

/** The tables of a state; a state without tables gives its reason to every query. */
async function opened(state: CellValue) {
  const { openState } = await import('@data-designer/environments/state');
  try {
    return await openState(state);
  } catch (thrown) {
    const reason = messageOf(thrown);
    return { query: () => ({ reason }), [Symbol.dispose]: () => {} };
  }
}
