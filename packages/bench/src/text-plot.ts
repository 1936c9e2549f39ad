const BLOCKS = '▁▂▃▄▅▆▇█';

/** Figures over time as two lines of text: bars from 0 up to the largest, and what that is. */
export function textPlot(unit: string, figures: readonly number[]): string {
  const largest = Math.max(0, ...figures);
  const bars = figures.map((figure) => BLOCKS[Math.min(7, Math.floor((8 * Math.max(0, figure)) / (largest || 1)))]);
  return `${bars.join('')}\n${unit}, ${Math.round(Math.min(...figures))} to ${Math.round(largest)}\n`;
}
