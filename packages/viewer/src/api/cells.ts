/**
 * A cell of a page. Text beyond 500 characters and lists beyond 20 items are cut; `text` and `trace` return the rest. Every
 * object has a mark, so that no value of a dataset is taken for one.
 */
export type Cell = null | boolean | number | string | MarkedCell;

/** A value that JSON cannot hold, or that is cut. */
export type MarkedCell =
  /** The first characters of a longer text. */
  | { readonly as: 'text'; readonly text: string; readonly length: number }
  /** An integer beyond 2^53, NaN, an infinity or -0. */
  | { readonly as: 'number'; readonly text: string }
  | { readonly as: 'list'; readonly items: readonly Cell[]; readonly length: number }
  | {
      readonly as: 'struct';
      readonly members: readonly (readonly [name: string, value: Cell])[];
      readonly length: number;
    }
  /** A list of more than 8 numbers: the first ones. */
  | { readonly as: 'vector'; readonly first: readonly number[]; readonly length: number }
  /** A conversation: `trace` returns its messages. */
  | { readonly as: 'conversation'; readonly messages: number; readonly toolCalls: number; readonly last: string }
  /** Bytes, which are never sent. */
  | { readonly as: 'binary'; readonly bytes: number }
  /** A value at a depth that is not shown. */
  | { readonly as: 'more' };

/** The first characters of a text. */
export interface CutText {
  readonly text: string;
  readonly length: number;
}

/** A picture or sound of the dataset's folder or of a cell. */
export interface Media {
  readonly name: string;
  readonly kind: 'image' | 'audio' | 'video';
  /** An address of this server, or null with the reason as `note`. */
  readonly address: string | null;
  readonly note: string | null;
}
