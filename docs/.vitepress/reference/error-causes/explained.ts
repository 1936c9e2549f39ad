/** How the reference explains an error code. */
export interface Explained {
  /** When the error occurs, and what it concerns: one cell, or the whole run. */
  readonly cause: string;
  readonly remedy: string;
  /** The data of the example message. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** The words for a resume. */
export const RESUME = 'continue with `--resume always`';
