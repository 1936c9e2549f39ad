import { pluralize } from '@data-designer/printing';

/** Says how many texts of a CSV file differ from those of the dataset; empty text if none does. */
export function describeEscaped(count: number): string {
  if (count === 0) return '';
  const texts = `${pluralize(count, 'text')} that a spreadsheet would run as ${count === 1 ? 'a formula' : 'formulas'}`;
  return `${texts} ${count === 1 ? 'begins' : 'begin'} with an apostrophe in the file. To write texts as they are: export -f csv --no-escape\n`;
}
