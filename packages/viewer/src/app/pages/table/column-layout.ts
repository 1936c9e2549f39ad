import type { ColumnInfo, ColumnKind } from '../../../api/columns.ts';

/** A column of the grid with its place. */
export interface GridColumn {
  readonly info: ColumnInfo;
  readonly isPinned: boolean;
  readonly left: number;
  readonly width: number;
}

/** Columns of one kind side by side. */
export interface ColumnRun {
  readonly title: string;
  readonly kind: ColumnKind;
  readonly isPinned: boolean;
  readonly left: number;
  readonly width: number;
  /** The position of its first column among the shown ones. */
  readonly first: number;
  readonly columns: number;
}

/** The width of the column of row numbers. */
export const NUMBER_WIDTH = 84;

/** The kinds of columns in the order of the grid, with their titles. */
export const KIND_TITLES: Readonly<Record<ColumnKind, string>> = {
  seed: 'Seed',
  sampler: 'Samplers',
  expression: 'Expressions',
  model: 'Models',
  judge: 'Judges',
  validation: 'Validation',
  trace: 'Traces',
  other: 'Other',
};

const KINDS = Object.keys(KIND_TITLES);

/** The columns in the order of the grid: the pinned ones first, then by kind. */
export function layoutColumns(
  columns: readonly ColumnInfo[],
  state: { readonly hidden: ReadonlySet<string>; readonly pinned: ReadonlySet<string> },
): readonly GridColumn[] {
  const shown = columns.filter(({ name }) => !state.hidden.has(name));
  const rank = ({ name, kind }: ColumnInfo): number => (state.pinned.has(name) ? -1 : KINDS.indexOf(kind));
  let left = NUMBER_WIDTH;
  return shown
    .toSorted((a, b) => rank(a) - rank(b))
    .map((info) => {
      const column = { info, isPinned: state.pinned.has(info.name), left, width: widthOf(info) };
      left += column.width;
      return column;
    });
}

/** Neighbours of one kind, for the first row of the head. */
export function columnRuns(columns: readonly GridColumn[]): readonly ColumnRun[] {
  const runs: ColumnRun[] = [];
  for (const [at, { info, isPinned, left, width }] of columns.entries()) {
    const last = runs.at(-1);
    if (last && last.kind === info.kind && last.isPinned === isPinned) {
      runs[runs.length - 1] = { ...last, width: last.width + width, columns: last.columns + 1 };
    } else {
      runs.push({ title: KIND_TITLES[info.kind], kind: info.kind, isPinned, left, width, first: at, columns: 1 });
    }
  }
  return runs;
}

/** Whether numbers are right-aligned in the column. */
export function isNumeric({ type }: Pick<ColumnInfo, 'type'>): boolean {
  return /^(u?int|float|double|decimal|halffloat)/.test(type);
}

function widthOf(info: ColumnInfo): number {
  const name = Math.min(info.name.length * 8 + 56, 260);
  return Math.max(name, baseWidth(info));
}

function baseWidth(info: ColumnInfo): number {
  // A number has up to 17 characters, and the line of statistics both ends and the mean.
  if (isNumeric(info)) return 160;
  if (info.type === 'bool') return 120;
  if (info.kind === 'sampler' && !info.isNested) return 150;
  if (/^(date|timestamp|time)/.test(info.type)) return 180;
  return 260;
}

/** A column in view, with the space between it and the one before. */
export interface PlacedColumn {
  readonly column: GridColumn;
  /** Its position among the shown columns. */
  readonly at: number;
  readonly gap: number;
}

/** The columns in view with the space that the columns out of view leave between them. */
export function placeColumns(columns: readonly GridColumn[], inView: readonly string[]): readonly PlacedColumn[] {
  const names = new Set(inView);
  const placed: PlacedColumn[] = [];
  for (const [at, column] of columns.entries()) {
    if (!names.has(column.info.name)) continue;
    const before = placed.at(-1);
    const end = before === undefined ? NUMBER_WIDTH : before.column.left + before.column.width;
    placed.push({ column, at, gap: column.left - end });
  }
  return placed;
}
