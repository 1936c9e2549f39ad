// The pages of a static copy use this module too: it must not import what needs Node.
import { fieldsOf, itemsOf, stringOf, tryParse } from '@data-designer/core/json-fields';
import type { ColumnInfo } from '../../api/columns.ts';
import type { MeasureKind } from '../../api/compare.ts';
import { memberOf } from '../cut-cell.ts';
import type { ComparedDataset, RowPair, StoredRow } from './compared-dataset.ts';

/** A figure of each row. */
export interface RowMeasure {
  readonly kind: MeasureKind;
  /** The name of its column, or of its score. */
  readonly name: string;
  /** The stored column that it is read from. */
  readonly column: string;
  /** The figures of a row of both datasets; null where a row has none. */
  readonly of: (pair: RowPair) => readonly [left: number | null, right: number | null];
}

/** A measure of one dataset. */
interface OwnMeasure extends Pick<RowMeasure, 'kind' | 'name' | 'column'> {
  readonly of: (row: StoredRow) => number | null;
}

/** The measures that both datasets have. */
export function comparedMeasures(left: ComparedDataset, right: ComparedDataset): readonly RowMeasure[] {
  const theirs = new Map(measuresOf(right).map((measure) => [keyOf(measure), measure]));
  return measuresOf(left).flatMap((own): RowMeasure[] => {
    const other = theirs.get(keyOf(own));
    const { kind, name, column } = own;
    return other ? [{ kind, name, column, of: (pair) => [figure(own, pair.left), figure(other, pair.right)] }] : [];
  });
}

/** The direction in which a figure changed; undefined where a row has none. */
export function directionOf([before, after]: readonly [number | null, number | null]): Direction | undefined {
  if (before === null || after === null) return undefined;
  return before === after ? 'same' : after > before ? 'rose' : 'fell';
}

type Direction = 'rose' | 'fell' | 'same';

function figure(measure: OwnMeasure, row: StoredRow | undefined): number | null {
  return row === undefined ? null : measure.of(row);
}

function keyOf({ kind, name }: OwnMeasure): string {
  return `${kind} ${name}`;
}

function measuresOf({ columns, scores, costOf }: ComparedDataset): readonly OwnMeasure[] {
  const ofScores = scores.flatMap(({ name, member }): OwnMeasure[] => {
    if (member === undefined) return [];
    const { column, path } = member;
    return [{ kind: 'score', name, column, of: (row) => numberIn(memberOf(row[column], path)) }];
  });
  return [...ofScores, ...columns.flatMap((column) => ofColumn(column, costOf))];
}

function ofColumn(
  { name, of, kind, type, shown, isNested }: ColumnInfo,
  costOf: ComparedDataset['costOf'],
): readonly OwnMeasure[] {
  if (!isNested && /^u?int|^float|^decimal/.test(type)) {
    return [{ kind: 'number', name, column: name, of: (row) => numberIn(row[name]) }];
  }
  if (kind === 'model' && type === 'utf8') {
    return [{ kind: 'characters', name, column: name, of: (row) => lengthOf(row[name]) }];
  }
  if (kind !== 'trace' || shown !== 'conversation') return [];
  const tokens = (counted: string): OwnMeasure['of'] => {
    return (row) => sumOver(row[name], ({ usage }) => numberIn(fieldsOf(usage)[counted]));
  };
  const own = { name: of, column: name };
  return [
    { ...own, kind: 'tokens-read', of: tokens('input_tokens') },
    { ...own, kind: 'tokens-written', of: tokens('output_tokens') },
    ...(costOf === undefined
      ? []
      : [{ ...own, kind: 'cost' as const, of: (row: StoredRow) => sumOver(row[name], costIn(costOf)) }]),
  ];
}

function lengthOf(value: unknown): number | null {
  return typeof value === 'string' ? value.length : null;
}

function costIn(costOf: NonNullable<ComparedDataset['costOf']>): (answer: StoredRow) => number | null {
  return ({ model, usage }) => (usage ? costOf(stringOf(model), fieldsOf(usage)) : null);
}

/** The sum over the answers that a conversation has beside its history; null if none has a figure. */
function sumOver(conversation: unknown, of: (answer: StoredRow) => number | null): number | null {
  const messages = itemsOf(conversation);
  const figures = messages.slice(historyIn(messages[0])).flatMap((message) => of(fieldsOf(message)) ?? []);
  return figures.length === 0 ? null : figures.reduce((sum, one) => sum + one, 0);
}

/** The number of messages of an earlier conversation, which the first message notes. */
function historyIn(first: unknown): number {
  const { extra } = fieldsOf(first);
  if (typeof extra !== 'string' || !extra.includes('"history"')) return 0;
  const { history } = fieldsOf(tryParse(extra, JSON.parse));
  return numberIn(fieldsOf(history)['messages']) ?? 0;
}

/** A number, also one in a text: options of scores are often numbers in text. */
function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : null;
}
