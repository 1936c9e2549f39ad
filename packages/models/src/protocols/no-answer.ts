/** Sent in place of an empty answer: many servers refuse a message without content. */
export const NO_ANSWER = '(no answer)';
