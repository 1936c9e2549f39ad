/** The finish reason of an answer whose generation failed (as OpenRouter says it). */
export const FAILED = 'error';
/** The finish reason of an answer that a filter withheld. */
export const WITHHELD = 'content_filter';
