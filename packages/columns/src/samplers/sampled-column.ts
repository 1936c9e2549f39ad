import type { ColumnConfig, FieldPath } from '@data-designer/core';

/** The parameters of any sampler, with the name of the one that reads them. */
export type SampledParams = Readonly<Record<string, unknown>> & { readonly samplerType: string };

/** The declaration of a sampler column, whatever its sampler. */
export interface SampledColumn {
  readonly name: string;
  readonly samplerType: string;
  readonly params: SampledParams;
  /** Other parameters for the rows where a condition holds. */
  readonly conditionalParams: Readonly<Record<string, SampledParams>>;
  readonly convertTo: string | null;
}

/** A column's declaration as that of a sampler column, undefined where it is of another type. */
export function sampledColumn(column: ColumnConfig): SampledColumn | undefined {
  return isSampled(column) ? column : undefined;
}

function isSampled(column: ColumnConfig): column is ColumnConfig & SampledColumn {
  return column.columnType === 'sampler';
}

/** All parameters that a row's value may be drawn with. */
export function allParams({ params, conditionalParams }: SampledColumn): readonly SampledParams[] {
  return [params, ...Object.values(conditionalParams)];
}

/** One set of parameters of a column, with its field path. */
export interface DeclaredParams {
  readonly at: FieldPath;
  readonly params: SampledParams;
}

/** The parameters of a column and those of its conditions, with their field paths. */
export function declaredParams({ params, conditionalParams }: SampledColumn): readonly DeclaredParams[] {
  const conditional = Object.entries(conditionalParams).map(([condition, other]) => {
    return { at: ['conditionalParams', condition], params: other };
  });
  return [{ at: ['params'], params }, ...conditional];
}
