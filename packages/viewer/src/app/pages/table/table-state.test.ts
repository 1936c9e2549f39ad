import { expect, test } from 'vitest';
import type { ColumnInfo, ColumnKind } from '../../../api/columns.ts';
import { columnRuns, layoutColumns, NUMBER_WIDTH, placeColumns } from './column-layout.ts';
import { RowScroll } from './row-scroll.ts';
import { nextSort, withCondition } from './use-table-state.ts';

function info(name: string, kind: ColumnKind): ColumnInfo {
  return {
    name,
    kind,
    of: name,
    columnType: kind,
    type: 'utf8',
    models: [],
    isNested: false,
    dateFormat: null,
    shown: 'value',
    language: null,
    operators: [],
  };
}

const COLUMNS = [info('answer', 'model'), info('topic', 'seed'), info('grade', 'judge'), info('text', 'model')];

test('the grid shows pinned columns first, then the kinds in order', () => {
  const laidOut = layoutColumns(COLUMNS, { hidden: new Set(['text']), pinned: new Set(['grade']) });
  expect(laidOut.map((column) => column.info.name)).toEqual(['grade', 'topic', 'answer']);
  expect(laidOut.map(({ left }) => left)).toEqual([84, 344, 604]);
  expect(columnRuns(laidOut).map(({ title, columns }) => `${title} ${columns}`)).toEqual([
    'Judges 1',
    'Seed 1',
    'Models 1',
  ]);
});

test('a gap stands for the columns out of view', () => {
  const laidOut = layoutColumns(COLUMNS, { hidden: new Set(), pinned: new Set(['grade']) });
  const placed = placeColumns(laidOut, ['grade', 'text']);
  expect(placed.map(({ gap }) => gap)).toEqual([0, 520]);
  expect(placeColumns(laidOut, ['topic'])[0]?.gap).toBe(laidOut[1]!.left - NUMBER_WIDTH);
});

test('clicks on a column sort up, down and not at all', () => {
  const up = nextSort([], { column: 'a' }, false);
  const down = nextSort(up, { column: 'a' }, false);
  expect([up, down, nextSort(down, { column: 'a' }, false)]).toEqual([
    [{ column: 'a', descending: false }],
    [{ column: 'a', descending: true }],
    [],
  ]);
  expect(nextSort(up, { column: 'b' }, true)).toHaveLength(2);
});

test('a second click on a bar removes its condition', () => {
  const condition = { column: 'a', op: 'equals', value: 1 } as const;
  const added = withCondition([], condition);
  expect(added).toEqual([condition]);
  expect(withCondition(added, { ...condition })).toEqual([]);
});

/** An element that scrolls, as far as `RowScroll` uses it. */
class Scroller extends EventTarget {
  readonly clientHeight = 732;
  scrollTop = 0;
}

function scrolledTo(count: number, tops: readonly number[]): { readonly offset: number; readonly shift: number } {
  const scroller = new Scroller();
  const rows = new RowScroll();
  rows.resize({ count, rowHeight: 32, headHeight: 132 });
  let offset = 0;
  const stop = rows.observe(scroller as unknown as HTMLElement, (next) => (offset = next));
  for (const top of tops) {
    scroller.scrollTop = top;
    scroller.dispatchEvent(new Event('scroll'));
  }
  stop();
  return { offset, shift: rows.shift };
}

test('a table of a million rows scrolls by pixels and jumps in proportion', () => {
  const million = 1_000_000;
  expect(scrolledTo(million, [100])).toEqual({ offset: 100, shift: 0 });
  expect(scrolledTo(million, [100, 250]).offset).toBe(250);
  const middle = scrolledTo(million, [4_000_000 - 300]);
  expect(Math.round(middle.offset / 32)).toBe(499_991);
  expect(scrolledTo(million, [8_000_000 - 600]).offset).toBe(million * 32 - 600);
  expect(scrolledTo(1000, [9000])).toEqual({ offset: 9000, shift: 0 });
});
