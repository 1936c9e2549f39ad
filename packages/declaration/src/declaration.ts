import type { RowOf, Spelling } from '@data-designer/config';

/** A config as a document, with its name for messages. */
export interface Declaration {
  /** The config: a parsed YAML or JSON document, or an object. */
  readonly document: unknown;
  /** The name of the config in messages, such as its file. */
  readonly source: string;
  /** The spelling of keys; default: as files spell them. */
  readonly spelling?: Spelling;
  /** Where it comes from; a declaration from an address may not read local files. */
  readonly origin?: 'local' | 'address';
  /** The base folder of its seed's path; default: the working folder. */
  readonly folder?: string;
  /**
   * Whether its seed is the input of a stage of a workflow. Such a config may read the file of the seed, and needs no
   * columns of its own.
   */
  readonly passesSeedOn?: boolean;
}

/** A config: a builder, or a document with keys in either spelling. */
export type Declared = Declaration;

/** The TypeScript type of the records of a dataset, inferred from its config. */
export type RecordOf<D> = RowOf<D>;
