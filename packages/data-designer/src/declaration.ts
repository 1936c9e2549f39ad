import type { RowOf } from '@data-designer/config';

/** A declaration as it was read from a file, and what it is called in messages. */
export interface Declaration {
  readonly document: unknown;
  readonly source: string;
}

/** Whatever declares a dataset: a builder, or a document in the form that files have. */
export type Declared = { toDict(): Record<string, unknown> } | Declaration;

/** The type of a dataset's records as far as its declaration tells. */
export type RecordOf<D> = RowOf<D>;

/** The document of a declaration; throws `config/invalid` for a builder with mistakes. */
export function documentOf(declared: Declared): Declaration {
  return 'document' in declared ? declared : { document: declared.toDict(), source: 'The declaration' };
}
