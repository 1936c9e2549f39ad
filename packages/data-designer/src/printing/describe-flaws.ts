import type { RunSummary } from '@data-designer/engine';

/** The flawed answers of a column that were used anyway, as text. */
export function describeFlaws({ column, cut, empty, nonText, garbled }: RunSummary['flaws'][number]): string {
  const parts = [
    ...(cut > 0 ? [`${cut} cut off at their token limit (finish_reason length)`] : []),
    ...(empty > 0 ? [`${empty} empty`] : []),
    ...(nonText > 0 ? [`${nonText} with content other than text`] : []),
    ...(garbled > 0 ? [`${garbled} with bytes that are not UTF-8`] : []),
  ];
  return `Flawed answers of column '${column}', used as they are: ${parts.join(', ')}`;
}
