import type { RowOf, Spelling } from '@data-designer/config';

/** A declaration read from a file, with its name in messages. */
export interface Declaration {
  /** The config: a parsed YAML or JSON document, or an object. */
  readonly document: unknown;
  /** The name of the config in messages, such as its file. */
  readonly source: string;
  /** The spelling of keys; default: as files spell them. */
  readonly spelling?: Spelling;
  /** Where it comes from; a declaration from an address may not read local files. */
  readonly origin?: 'local' | 'address';
  /** The base folder of its paths; default: the working folder. */
  readonly folder?: string;
}

/** A dataset declaration: a builder, or a document in either spelling. */
export type Declared = Declaration;

/** The record type of a dataset, inferred from its declaration. */
export type RecordOf<D> = RowOf<D>;
