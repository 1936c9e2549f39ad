/** The function of a custom column: it is given a row with the columns that the column requires. */
export function countLetters({ praise }: { readonly praise: string }): { letters: number } {
  return { letters: praise.replaceAll(/[^a-z]/gi, '').length };
}
