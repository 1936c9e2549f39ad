import type { Row } from '@data-designer/core';
import type { ExampleKind, Examples } from '../training-format.ts';
import type { MessageOptions } from './read-messages.ts';

/** The column of each part of an example, or a member of a column behind a dot. */
export type Mapping = Readonly<Record<string, string>>;

/** Which examples are read. */
export interface SourceOptions extends MessageOptions {
  /** The column of the conversations, or of the answers of pairs; all that have complete conversations unless given. */
  readonly column?: string | undefined;
  /** The columns of the parts of an example, in place of conversations. */
  readonly map?: Mapping | undefined;
  /** Leaves out rows whose mapped values cannot be read, instead of failing. */
  readonly lossy?: boolean | undefined;
  /** The reviews of the dataset make pairs. */
  readonly pairsOf?: 'edits' | undefined;
}

/** An example, or why a row has none. */
export type Found<Kind extends ExampleKind> = Examples[Kind] | { readonly missing: string };

/** The examples of a row at a position. */
export type FindExamples<Kind extends ExampleKind> = (values: Row, row: number) => readonly Found<Kind>[];
