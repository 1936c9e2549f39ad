/** What functions of the calling program, and the columns that they make, tell while a run goes. */
export type FunctionEvent =
  /** Something about a column that is no failure; the same is told once a run. */
  | { readonly type: 'column-log'; readonly column: string; readonly message: string }
  /** A function has not ended after so long; `isBlocking` where it has kept the calling program's thread for that time. */
  | {
      readonly type: 'function-wait';
      readonly function: string;
      readonly seconds: number;
      readonly isBlocking: boolean;
    };
