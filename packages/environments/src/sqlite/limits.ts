/** Steps of SQLite's virtual machine in one call: about a second. */
export const MOST_STEPS = 20_000_000;

/** Steps between two looks at the limits. */
export const STEPS_PER_LOOK = 200;

/** The time of one call in ms, for steps that take long because their values are long. */
export const MOST_MS = 5_000;

/** Bytes of memory that one call may add. */
export const MOST_MEMORY = 64 * 2 ** 20;

/** Bytes of one value, and of one statement. */
export const MOST_VALUE_BYTES = 2 ** 20;

/** Bytes of one database. */
export const MOST_DATABASE_BYTES = 32 * 2 ** 20;

/** Rows of one result. */
export const MOST_RESULT_ROWS = 10_000;

/** Characters of one result. */
export const MOST_RESULT_CHARACTERS = 4 * 2 ** 20;
