import { dirname } from 'node:path';
import { Command } from 'commander';
import { above, collect, htmlFile } from './flags/common-flags.ts';
import { endOnSignals } from './end-on-signals.ts';
import { refuseUnwritable } from './check-writable.ts';

interface ReportFlags {
  readonly html?: string;
  readonly sections: readonly string[];
  readonly providers: readonly string[];
  readonly maxCost?: number;
  readonly json: boolean;
}

/** `data-designer report DATASET`: what is known of a dataset as a whole, as text or as a page. */
export function reportCommand(): Command {
  return new Command('report')
    .description('Statistics and plots of a dataset, on screen or as one HTML page.')
    .argument('<folder>', 'the folder of a dataset')
    .option('--html <file>', 'write a page instead; it needs nothing beside it', htmlFile)
    .option(
      '--sections <name>',
      'only these: overview, column_profilers, dataset, or types of columns; may be repeated',
      collect,
      [],
    )
    .option('--providers <file>', 'models that sum up what judges found; may be repeated', collect, [])
    .option('--max-cost <amount>', 'what all answers of the dataset may cost; as its run said unless given', above(0))
    .option('--json', 'print all figures as one JSON object', false)
    .action(report);
}

async function report(folder: string, flags: ReportFlags): Promise<void> {
  const { html, sections, providers, maxCost, json } = flags;
  const { loadDataset } = await import('../load-dataset.ts');
  const { loadProviders } = await import('@data-designer/config');
  const { discardUnderWay } = await import('@data-designer/dataset');
  const { printJson } = await import('./display/print-results.ts');
  if (html !== undefined) await refuseUnwritable(dirname(html));
  using _ = endOnSignals(discardUnderWay);
  const given = providers.map((file) => loadProviders(file));
  const models = given.flatMap((one) => one.models);
  const results = await loadDataset(folder, { unfinished: true, providers: { models, tools: [] }, maxCost });
  const analysis = await results.loadAnalysis();
  if (json) return printJson(analysis.profile);
  const includeSections = sections.length > 0 ? { includeSections: sections } : {};
  const text = await analysis.toReport({ ...(html === undefined ? {} : { savePath: html }), ...includeSections });
  process.stdout.write(html === undefined ? text : `${html}\n`);
}
