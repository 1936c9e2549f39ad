import type { RunSummary } from '@data-designer/engine';

/** Which answers of a column were taken though something is wrong with them, in words. */
export function sayFlaws({ column, cut, empty, nonText, garbled }: RunSummary['flaws'][number]): string {
  const parts = [
    ...(cut > 0 ? [`${cut} cut off at their token limit (finish_reason length)`] : []),
    ...(empty > 0 ? [`${empty} empty`] : []),
    ...(nonText > 0 ? [`${nonText} with content that is no text`] : []),
    ...(garbled > 0 ? [`${garbled} with bytes that were no UTF-8`] : []),
  ];
  return `Answers of column '${column}' that were taken as they are: ${parts.join(', ')}`;
}
