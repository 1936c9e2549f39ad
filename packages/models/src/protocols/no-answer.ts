/** What stands for an answer without a word: a message must hold something, or many servers refuse it. */
export const NO_ANSWER = '(no answer)';
