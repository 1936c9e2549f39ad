/** Whether a failure is one of a block of attempts, which fails as a whole under its name. */
function isOfAttempts(code: string | undefined): boolean {
  return code === 'attempts/exhausted';
}

/** Where a failure lies, in words: in a column, or in a block of attempts. */
export function failedPart(name: string, code: string | undefined): string {
  return isOfAttempts(code) ? `the attempts '${name}'` : `column '${name}'`;
}

/** Failed cells of a column in words, or rows of a block of attempts; `count` is their number. */
export function failedCells(count: string, name: string, code: string | undefined): string {
  const unit = isOfAttempts(code) ? 'row' : 'cell';
  return `${count} ${count === '1' ? unit : `${unit}s`} of ${failedPart(name, code)}`;
}
