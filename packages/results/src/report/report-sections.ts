import { columnTypes } from '@data-designer/columns';
import { DataDesignerError } from '@data-designer/core';
import type { ColumnProfile, DatasetProfile } from '@data-designer/profile';

/**
 * The requested sections: `overview`, `examples`, `column_profilers`, `dataset` (all columns together) and column types;
 * undefined for all.
 */
export type ReportSections = ReadonlySet<string> | undefined;

const WHOLE = ['overview', 'examples', 'column_profilers', 'dataset'] as const;

/** Column types in report order: that of their list. Types of plug-ins come after them, by name. */
const ORDER: readonly string[] = columnTypes.map(({ type }) => type);

/** The columns of one type. */
export interface ColumnGroup {
  readonly columnType: string;
  readonly title: string;
  readonly columns: readonly ColumnProfile[];
}

/** Checks the requested sections; throws `report/invalid-option` for an unknown one. */
export function resolveSections({ columns }: DatasetProfile, wanted: readonly string[] | undefined): ReportSections {
  if (wanted === undefined) return undefined;
  const known = new Set<string>([...WHOLE, ...ORDER, ...columns.map(({ columnType }) => columnType)]);
  const unknown = wanted.find((section) => !known.has(section));
  if (unknown === undefined) return new Set(wanted);
  const names = `one of ${[...known].join(', ')}`;
  throw new DataDesignerError('report/invalid-option', { option: 'section', found: unknown, wanted: names });
}

/** Whether a section is shown. */
export function isShown(sections: ReportSections, section: string): boolean {
  return sections?.has(section) ?? true;
}

/** The columns by type, in report order. */
export function columnGroups({ columns }: DatasetProfile, sections: ReportSections): readonly ColumnGroup[] {
  const types = [...new Set(columns.map(({ columnType }) => columnType))].toSorted((a, b) => rank(a, b));
  return types
    .filter((type) => isShown(sections, type))
    .map((columnType) => ({
      columnType,
      title: titleOf(columnType),
      columns: columns.filter((column) => column.columnType === columnType),
    }));
}

function rank(a: string, b: string): number {
  const [first, second] = [ORDER.indexOf(a), ORDER.indexOf(b)] as const;
  if (first >= 0 && second >= 0) return first - second;
  if (first < 0 && second < 0) return a < b ? -1 : 1;
  return first < 0 ? 1 : -1;
}

function titleOf(columnType: string): string {
  const words = columnType
    .split('-')
    .map((word) => (word === 'llm' ? 'LLM' : word.slice(0, 1).toUpperCase() + word.slice(1)));
  return `${words.join(' ')} columns`;
}
