import type { RowOf, Spelling } from '@data-designer/config';

/** A declaration as it was read from a file, and what it is called in messages. */
export interface Declaration {
  readonly document: unknown;
  readonly source: string;
  /** How its author spells keys; as files do unless said. */
  readonly spelling?: Spelling;
  /** Where it comes from; one from an address may not read files of this machine. */
  readonly origin?: 'local' | 'address';
  /** What paths in it start from; the working folder unless given. */
  readonly folder?: string;
}

/** Whatever declares a dataset: a builder, or a document in either spelling. */
export type Declared = Declaration;

/** The type of a dataset's records as far as its declaration tells. */
export type RecordOf<D> = RowOf<D>;
