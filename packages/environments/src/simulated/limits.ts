/** Bytes of one result. */
export const MOST_RESULT_BYTES = 256 * 2 ** 10;

/** Bytes of a state as JSON. */
export const MOST_STATE_BYTES = 2 ** 20;
