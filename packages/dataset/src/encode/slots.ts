/** The values that become one Arrow array, at whatever depth, and where each came from. */
export interface Slots {
  /** The column's name, with the way down to a nested value: `trace[].tool_calls[].id`. */
  readonly name: string;
  readonly values: ArrayLike<unknown>;
  /** The row of the batch that a slot belongs to; asked only to report a mistake. */
  readonly rowOf: (slot: number) => number;
}
