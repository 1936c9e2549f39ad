import type { ColumnRegistry } from '@data-designer/config';
import {
  type ArrowType,
  type ColumnType,
  fieldsOf,
  messageFields,
  type Plan,
  type PlannedColumn,
  type ShownAs,
  stringOf,
} from '@data-designer/core';
import type { ColumnInfo, ColumnKind } from '../api/columns.ts';
import type { Condition } from '../api/filter.ts';
import { memberType } from './query/column-bars.ts';

type Types = Pick<ColumnRegistry, 'get'>;
type Type = ColumnType;

/** The columns of a dataset's table, with their groups and how their values are shown. */
export function columnInfos({ columns, fields }: Pick<Plan, 'columns' | 'fields'>, types: Types): ColumnInfo[] {
  const writers = new Map(columns.flatMap((column) => column.writes.map(({ name }) => [name, column] as const)));
  return fields.map(({ name, type, json }) => {
    const writer = writers.get(name);
    const isOwn = writer?.name === name;
    const isTrace = writer !== undefined && !isOwn && messageFields(type) !== undefined;
    const shown: ShownAs | undefined = writer && isOwn ? shownAs(writer, types) : undefined;
    const isNested = json === true || (typeof type !== 'string' && !('logical' in type));
    return {
      name,
      kind: isTrace ? 'trace' : writer ? kindOf(writer, types) : 'other',
      of: writer?.name ?? name,
      columnType: writer?.config.columnType ?? '',
      models: isOwn ? writer.requires.models : [],
      type: json === true ? 'json' : typeText(type),
      isNested,
      dateFormat: isOwn ? stringOf(fieldsOf(writer.config).convertTo) : null,
      shown: isTrace ? 'conversation' : (shown?.as ?? 'value'),
      ...(shown?.as === 'verdict' && shown.ofPrograms && { ofPrograms: true }),
      language: shown?.as === 'code' ? shown.language : null,
      operators: isNested ? ['contains', 'null', 'not-null'] : operatorsOf(type),
    };
  });
}

/** The scores of judges as columns: each is a member of its judge's column. */
export function scoreColumns(columns: readonly ColumnInfo[], { fields }: Pick<Plan, 'fields'>): readonly ColumnInfo[] {
  const taken = new Set(columns.map(({ name }) => name));
  return columns.flatMap((column) => {
    const type = fields.find(({ name }) => name === column.name)?.type;
    if (column.shown !== 'scores' || type === undefined || typeof type === 'string' || !('struct' in type)) return [];
    return type.struct.flatMap((member): ColumnInfo[] => {
      const path = [member.name, 'score'];
      const scoreType = memberType(type, path);
      const name = `${column.name}.${member.name}`;
      if (scoreType === undefined || taken.has(name)) return [];
      // Options of scores are often numbers in text.
      const operators = [...new Set([...operatorsOf('int64'), ...operatorsOf(scoreType)])];
      const own = { name, type: typeText(scoreType), isNested: false, shown: 'value', operators } as const;
      return [{ ...column, ...own, member: { column: column.name, path } }];
    });
  });
}

/** The group of a column, by what its type declares. */
export function kindOf({ config, requires }: PlannedColumn, types: Types): ColumnKind {
  const type = types.get(config.columnType) as Type | undefined;
  const shown = type?.shownAs?.(config).as;
  if (type?.ofSeed || shown === 'seed') return 'seed';
  if (shown === 'verdict') return 'validation';
  if (shown === 'scores') return 'judge';
  if (requires.models.length > 0) return 'model';
  if (type?.distribution) return 'sampler';
  return type?.templates?.(config).some(({ role }) => role === 'expression' || role === 'value')
    ? 'expression'
    : 'other';
}

function shownAs({ config }: PlannedColumn, types: Types): ShownAs | undefined {
  return (types.get(config.columnType) as Type | undefined)?.shownAs?.(config);
}

function typeText(type: ArrowType): string {
  if (typeof type === 'string') return type;
  if ('logical' in type) return type.logical;
  if ('list' in type) return `list<${typeText(type.list)}>`;
  return `struct<${type.struct.map((member) => `${member.name}: ${typeText(member.type)}`).join(', ')}>`;
}

const COMPARED = [
  'equals',
  'not',
  'less',
  'at-most',
  'more',
  'at-least',
  'between',
  'dates',
  'one-of',
  'null',
  'not-null',
] as const;
const TEXT = ['equals', 'not', 'one-of', 'contains', 'matches', 'length', 'dates', 'null', 'not-null'] as const;

function operatorsOf(type: ArrowType): readonly Condition['op'][] {
  if (type === 'utf8') return TEXT;
  return type === 'bool' ? ['equals', 'null', 'not-null'] : COMPARED;
}
