import {
  type ArrowField,
  type ColumnConfig,
  DataDesignerError,
  type DeclaredTemplate,
  type Reference,
  type Requirements,
  type WrittenChat,
} from '@data-designer/core';
import { parseCondition, type ParsedTemplate, parseTemplate } from '@data-designer/template';
import type { ColumnRegistry, ColumnTypeOfAny } from '../column-registry.ts';
import type { Processor } from '../processors/processor-types.ts';

/** The error type of an unknown name: that of the Python tool, or our own. */
export type MissingType =
  | 'invalid_reference'
  | 'expression_reference_missing'
  | 'skip_reference_missing'
  | 'unknown_column';

/** A reference of a column to another column. */
export interface NamedReference extends Reference {
  /** Whether the name has a meaning without a column, as `range` in templates. */
  readonly optional: boolean;
  readonly missing: MissingType;
  /** Where a template names it; undefined for a key that names a column. */
  readonly parsed?: ParsedTemplate;
}

/** A template that has been read, or why it could not be. */
export interface ReadTemplate {
  readonly declared: DeclaredTemplate;
  readonly parsed: ParsedTemplate | undefined;
  readonly failure: DataDesignerError | undefined;
}

/** The facts about one column that do not depend on the others. */
export interface ColumnFacts {
  readonly column: ColumnConfig;
  readonly type: ColumnTypeOfAny;
  readonly writes: readonly ArrowField[];
  readonly templates: readonly ReadTemplate[];
  /** The names that its cells read. */
  readonly references: readonly NamedReference[];
  /** The names that its skip rule reads. */
  readonly skipReferences: readonly NamedReference[];
  readonly requires: Requirements;
  readonly chats: readonly WrittenChat[];
  /** The environments that its tools change; none if absent. */
  readonly environments?: readonly string[];
}

/** The column type of a parsed column; its functions take any column, so pass only this one. */
export function typeOf(column: ColumnConfig, registry: ColumnRegistry): ColumnTypeOfAny {
  const type = registry.get(column.columnType);
  if (!type) throw new DataDesignerError('internal/unexpected', { reason: `no column type '${column.columnType}'` });
  return type;
}

/** Finds what a column reads and writes; invalid templates included. */
export function factsOf(column: ColumnConfig, registry: ColumnRegistry): ColumnFacts {
  const type = typeOf(column, registry);
  const templates = (type.templates?.(column) ?? []).map(readTemplate);
  const others = type.reads?.(column) ?? [];
  return {
    column,
    type,
    writes: type.writes(column),
    templates,
    references: [
      ...templates.flatMap(referencesIn),
      ...others.map((reference) => ({ ...reference, optional: false, missing: 'unknown_column' as const })),
    ],
    skipReferences: skipReferences(column),
    requires: type.requires?.(column) ?? { models: [], tools: [] },
    chats: type.chats?.(column) ?? [],
  };
}

/** The columns that processors add before rows begin: every column can read them, as those of a seed. */
export function addedBeforeRows(processors: readonly Processor[], registry: ColumnRegistry): readonly ArrowField[] {
  const first = processors.filter((one) => registry.stageOf(one) === 'pre_batch');
  return first.flatMap((one) => registry.processorOf(one).adds?.(one) ?? []);
}

function readTemplate(declared: DeclaredTemplate): ReadTemplate {
  try {
    const parsed = declared.role === 'condition' ? parseCondition(declared.source) : parseTemplate(declared.source);
    return { declared, parsed, failure: undefined };
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!failure.code.startsWith('template/')) throw failure;
    return { declared, parsed: undefined, failure };
  }
}

/** The error type of an unknown name in a template, by its role. */
export const MISSING = {
  prompt: 'invalid_reference',
  'system-prompt': 'invalid_reference',
  expression: 'expression_reference_missing',
  value: 'expression_reference_missing',
  condition: 'unknown_column',
} as const satisfies Record<DeclaredTemplate['role'], MissingType>;

function referencesIn({ declared: { field, role, known = [] }, parsed }: ReadTemplate): NamedReference[] {
  const all = parsed ? named(parsed, { field, missing: MISSING[role] }) : [];
  return known.length === 0 ? all : all.filter(({ name }) => !known.includes(name));
}

function skipReferences({ skip }: ColumnConfig): NamedReference[] {
  return skip ? named(parseTemplate(skip.when), { field: ['skip', 'when'], missing: 'skip_reference_missing' }) : [];
}

/** The names that a template reads, as references. */
export function named(parsed: ParsedTemplate, at: Pick<NamedReference, 'field' | 'missing'>): NamedReference[] {
  return [
    ...parsed.references.map((name) => ({ name, ...at, optional: false, parsed })),
    ...parsed.globals.map((name) => ({ name, ...at, optional: true, parsed })),
  ];
}

/** Whether the cells of a column are made for all rows of a row group together. */
export function isGrouped({ type, column }: Pick<ColumnFacts, 'type' | 'column'>): boolean {
  return 'group' in type || ('generationStrategy' in column && column.generationStrategy === 'full_column');
}
