import { pluralize } from '@data-designer/printing';
import type { BenchmarkReport, CheckReport, TrajectoryReport } from '@data-designer/results';

/** What the checks of conversations found, as text. */
export function printTrajectories(report: TrajectoryReport, maxShare: number): string {
  const { path, rows, conversations, faultyRows, passed, kinds, findings } = report;
  const all = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  const lines = findings.map(
    ({ row, column, message, kind, reason }) => `row ${row}, ${column}, message ${message}: ${kind}: ${reason}\n`,
  );
  const more = all > findings.length ? [`and ${pluralize(all - findings.length, 'further finding')}\n`] : [];
  const counts = Object.entries(kinds).map(([kind, count]) => `  ${kind}: ${count}\n`);
  const found = `${pluralize(all, 'finding')} in ${pluralize(faultyRows, 'row')} of ${rows}`;
  const limit = passed ? '' : ` More than the allowed share of ${maxShare} (--max-share).`;
  const summary = `${found}, in ${pluralize(conversations, 'conversation')} of ${path}.${limit}\n`;
  return [...lines, ...more, summary, ...counts].join('');
}

/** Which rows contain items of benchmarks, as text. */
export function printBenchmarks({ path, rows, refused, passed, benchmarks }: CheckReport, maxShare: number): string {
  const found = `${pluralize(refused, 'row')} of ${rows} in ${path}`;
  const verb = refused === 1 ? 'contains' : 'contain';
  const limit = passed ? '' : ` More than the allowed share of ${maxShare} (--max-share).`;
  return `${benchmarks.map(printBenchmark).join('')}${found} ${verb} an item of a benchmark.${limit}\n`;
}

function printBenchmark({ file, texts, touched, refused, best, examples: rows }: BenchmarkReport): string {
  const parts = [
    pluralize(texts, 'text'),
    `${pluralize(touched, 'item')} touched`,
    `${pluralize(refused, 'row')} refused`,
    `best share ${best.toFixed(2)}`,
  ];
  const lines = rows.map(({ row, item, share }) => `  row ${row} contains ${share.toFixed(2)} of item ${item}\n`);
  return `${file}: ${parts.join(', ')}\n${lines.join('')}`;
}
