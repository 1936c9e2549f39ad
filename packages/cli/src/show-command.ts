import { Command } from 'commander';
import { DataDesignerError } from '@data-designer/core';
import type { DatasetCreationResults } from '@data-designer/results';
import { printJson, shownAttempts } from './display/print-results.ts';
import { exitOnSignals } from './signals.ts';
import { examples, withPlugins } from './flags/common-flags.ts';
import { atLeast, parseHtmlPath } from './flags/parse-flags.ts';
import { type RecordFlags, withRecordFlags, withTheme } from './flags/record-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';

interface ShowFlags extends RecordFlags {
  readonly numRecords: number;
  readonly from: number;
  readonly plugins: readonly string[];
  readonly html?: string;
  readonly json: boolean;
  readonly theme?: 'dark' | 'light';
}

/** `data-designer show DATASET`: shows records of a dataset, or writes them as an HTML page. */
export function showCommand(): Command {
  const command = new Command('show')
    .description('Show records of a dataset, or write them to one HTML page.')
    .argument('<folder>', 'Dataset folder')
    .option('-n, --num-records <n>', 'Number of records to show', atLeast(1), 10)
    .option('--from <n>', 'First record to show, counted from 1', atLeast(1), 1)
    .option('--html <file>', 'Write a self-contained HTML page instead', parseHtmlPath)
    .option('--json', 'Print one JSON object instead of text', false);
  refuseUnused<ShowFlags>(command, [
    { flags: ['theme'], unless: ({ html }) => (html === undefined ? 'without --html: add a file' : undefined) },
    {
      flags: ['displayWidth'],
      unless: ({ html, json }) =>
        html !== undefined || json ? `with ${json ? '--json' : '--html'}: leave out one of them` : undefined,
    },
  ]);
  return withTheme(withPlugins(withRecordFlags(command)))
    .addHelpText('after', examples('show artifacts/facts', 'show artifacts/facts -n 100 --html records.html'))
    .action(show);
}

async function show(folder: string, flags: ShowFlags): Promise<void> {
  const { loadDataset } = await import('@data-designer/results/load-dataset');
  const { discardUnfinished } = await import('@data-designer/dataset');
  const { showRecords } = await import('./display/show-records.ts');
  using _ = exitOnSignals(discardUnfinished);
  const results = await loadDataset(folder, { unfinished: true, plugins: flags.plugins });
  const { tellOfAttempts, tellOfLostRows, tellOfUnverified, warnOfDamages } =
    await import('./display/warn-of-damages.ts');
  warnOfDamages(results.damages);
  const { html, numRecords, theme } = flags;
  const display = results.recordDisplay();
  const first = flags.from - 1;
  if (display.count === 0) throw new DataDesignerError('dataset/empty', { path: results.path });
  tellOfLostRows(results);
  tellOfAttempts(results);
  tellOfUnverified(results);
  if (first >= display.count) {
    const wanted = `1 to ${display.count}`;
    throw new DataDesignerError('report/invalid-option', { option: '--from', found: String(flags.from), wanted });
  }
  const count = Math.min(numRecords, display.count - first);
  if (flags.json && html === undefined) return showJson(results, { first, count });
  if (html === undefined) return showRecords(display, flags, { first, count });
  const indexes = Array.from({ length: count }, (__, at) => first + at);
  await display.savePage(indexes, html, { theme });
  if (flags.json) printJson({ path: results.path, html, records: indexes.length });
  else process.stdout.write(`${html}\n`);
}

/** Prints records as one JSON object. */
async function showJson(
  results: DatasetCreationResults,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<void> {
  const records: unknown[] = [];
  let index = 0;
  for await (const record of results.records()) {
    if (index >= first) records.push(record);
    if (++index >= first + count) break;
  }
  printJson({ path: results.path, total: results.count, from: first + 1, ...shownAttempts(results), records });
}
