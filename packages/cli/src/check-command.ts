import { Command } from 'commander';
import type { BenchmarkReport, CheckReport } from '@data-designer/results';
import { pluralize } from '@data-designer/printing';
import { printJson } from './display/print-results.ts';
import { atLeast, collect, examples, parseNumber } from './flags/common-flags.ts';

interface CheckFlags {
  readonly against: readonly string[];
  readonly column: readonly string[];
  readonly ngram: number;
  readonly share: number;
  readonly maxShare: number;
  readonly json: boolean;
}

/** `data-designer check FOLDER --against FILES`: finds rows that contain items of benchmarks. */
export function checkCommand(): Command {
  return new Command('check')
    .description('Find rows of a dataset that contain items of benchmarks; exit with 1 if there are too many.')
    .argument('<folder>', 'Dataset folder')
    .requiredOption('--against <files...>', 'Benchmark files: csv, json, jsonl or parquet, or <folder>/*.jsonl')
    .option('--column <name>', 'Column to compare; repeatable (default: all columns with text)', collect, [])
    .option('--ngram <n>', 'Number of consecutive words that must be equal', atLeast(1), 8)
    .option('--share <share>', "Share of an item's words that a refused row contains", parsePart, 0.5)
    .option('--max-share <share>', 'Largest share of refused rows with exit code 0', parseShare, 0)
    .option('--json', 'Print the report as one JSON object', false)
    .addHelpText(
      'after',
      examples(
        'check artifacts/facts --against bench/gsm8k.jsonl',
        "check artifacts/facts --column question --against 'bench/*.parquet'",
      ),
    )
    .action(check);
}

const parseShare = parseNumber((value) => value >= 0 && value <= 1, 'a number from 0 to 1');
const parsePart = parseNumber((value) => value > 0 && value <= 1, 'a number above 0, and at most 1');

async function check(folder: string, flags: CheckFlags): Promise<void> {
  const { checkDataset } = await import('@data-designer/results/check-dataset');
  const { against, column, ngram, share, maxShare, json } = flags;
  const report = await checkDataset(folder, { against, columns: column, ngram, share, maxShare });
  if (!report.passed) process.exitCode = 1;
  if (json) printJson(report);
  else process.stdout.write(print(report, maxShare));
}

function print({ path, rows, refused, passed, benchmarks }: CheckReport, maxShare: number): string {
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
