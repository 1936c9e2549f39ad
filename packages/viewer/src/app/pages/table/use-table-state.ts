import { useMemo } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { Condition, Filter } from '../../../api/filter.ts';
import { withParams } from '../../address.ts';
import { type FilterChange, filterParams, parseFilter } from '../../filter-params.ts';
import { useAddress, useChangeParams } from '../../use-address.ts';

/** The state of the table, all of it in the address. */
export interface TableState {
  readonly params: URLSearchParams;
  readonly filter: Filter;
  readonly hidden: ReadonlySet<string>;
  readonly pinned: ReadonlySet<string>;
  /** The position of the current row, and the column of the current cell. */
  readonly at: number;
  readonly column: string | null;
  readonly changeFilter: (change: FilterChange, replace?: boolean) => void;
  readonly addCondition: (condition: Condition) => void;
  readonly toggleSort: (place: ValuePlace, keepOthers: boolean) => void;
  readonly toggle: (list: 'hide' | 'pin', column: string) => void;
  readonly setList: (list: 'hide' | 'pin', columns: readonly string[]) => void;
  readonly moveTo: (at: number, column: string | null) => void;
}

/** Reads the state of the table from the address, and changes it there. */
export function useTableState(): TableState {
  const { params } = useAddress();
  const change = useChangeParams();
  return useMemo(() => {
    const filter = parseFilter(params);
    const changeFilter = (part: FilterChange, replace = false): void =>
      change((old) => withParams(old, { ...filterParams({ ...parseFilter(old), ...part }), at: undefined }), replace);
    const toggle = (list: 'hide' | 'pin', column: string): void =>
      change((old) => withParams(old, { [list]: toggled(old.getAll(list), column) }), true);
    return {
      params,
      filter,
      hidden: new Set(params.getAll('hide')),
      pinned: new Set(params.getAll('pin')),
      at: Math.max(0, Math.trunc(Number(params.get('at') ?? 0)) || 0),
      column: params.get('col'),
      changeFilter,
      addCondition: (condition) => changeFilter({ where: withCondition(filter.where ?? [], condition) }),
      toggleSort: (place, keepOthers) => changeFilter({ sort: nextSort(filter.sort ?? [], place, keepOthers) }),
      toggle,
      setList: (list, columns) => change((old) => withParams(old, { [list]: columns }), true),
      moveTo: (at, column) =>
        change((old) => withParams(old, { at: at === 0 ? undefined : String(at), col: column ?? undefined }), true),
    };
  }, [params, change]);
}

function toggled(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names.filter((one) => one !== name) : [...names, name];
}

/** The conditions with one more; the same one a second time is removed. */
export function withCondition(conditions: readonly Condition[], added: Condition): readonly Condition[] {
  const text = JSON.stringify(added);
  const others = conditions.filter((one) => JSON.stringify(one) !== text);
  return others.length < conditions.length ? others : [...conditions, added];
}

type Sort = NonNullable<Filter['sort']>;

/** The sort order after a click on a column: ascending, descending, none. */
export function nextSort(sort: Sort, place: ValuePlace, keepOthers: boolean): Sort {
  const own = sort.find((one) => isSamePlace(one, place));
  const others = keepOthers ? sort.filter((one) => !isSamePlace(one, place)) : [];
  if (own === undefined) return [...others, { ...place, descending: false }];
  return own.descending ? others : [...others, { ...place, descending: true }];
}

/** A column, or a member of one. */
export type ValuePlace = Pick<Sort[number], 'column' | 'path'>;

/** Where the values of a column are. */
export function placeOf({ name, member }: Pick<ColumnInfo, 'name' | 'member'>): ValuePlace {
  return member ?? { column: name };
}

/** Whether two places are one. */
export function isSamePlace(one: ValuePlace, other: ValuePlace): boolean {
  return JSON.stringify([one.column, ...(one.path ?? [])]) === JSON.stringify([other.column, ...(other.path ?? [])]);
}
