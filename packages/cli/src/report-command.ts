import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import type { DatasetAnalysis, LoadDatasetOptions } from '@data-designer/results';
import type { WorkflowAnalysis } from '@data-designer/workflow';
import { examples } from './flags/common-flags.ts';
import { above, collect, parseHtmlPath } from './flags/parse-flags.ts';
import { refuseUnused } from './flags/refuse-unused.ts';
import { exitOnSignals } from './signals.ts';
import { checkWritable } from './check-writable.ts';

interface ReportFlags {
  readonly html?: string;
  readonly sections: readonly string[];
  readonly providers: readonly string[];
  readonly maxCost?: number;
  readonly json: boolean;
}

/** `data-designer report DATASET`: statistics of a dataset, as text or as an HTML page. */
export function reportCommand(): Command {
  const command = new Command('report')
    .description('Show statistics and plots of a dataset, or write them to one HTML page.')
    .argument('<folder>', 'Dataset folder, or the folder of a workflow for all its stages')
    .option('--html <file>', 'Write a self-contained HTML page instead', parseHtmlPath)
    .option(
      '--sections <name>',
      'Section to include: overview, examples, column_profilers, dataset or a column type; repeatable (default: all)',
      collect,
      [],
    )
    .option('--providers <file>', 'File of models that summarise judge scores; repeatable', collect, [])
    .option('--max-cost <amount>', 'Maximum cost of all answers of the dataset (default: as in its run)', above(0))
    .option('--json', 'Print all figures as one JSON object', false);
  return refuseUnused<ReportFlags>(command, [
    {
      flags: ['sections'],
      unless: ({ json, html }) =>
        json && html === undefined ? 'with --json, which prints all figures: leave out one of them' : undefined,
    },
  ])
    .addHelpText(
      'after',
      examples('report artifacts/facts', 'report artifacts/facts --html report.html', 'report artifacts/flow'),
    )
    .action(report);
}

async function report(folder: string, flags: ReportFlags): Promise<void> {
  const { html, sections, providers, maxCost, json } = flags;
  const { loadProviders } = await import('@data-designer/config');
  const { discardUnfinished } = await import('@data-designer/dataset');
  const { printJson } = await import('./display/print-results.ts');
  if (html !== undefined) await checkWritable(dirname(html));
  using _ = exitOnSignals(discardUnfinished);
  const given = providers.map((file) => loadProviders(file));
  const models = given.flatMap((one) => one.models);
  const { path, analysis } = await analyse(folder, { unfinished: true, providers: { models, tools: [] }, maxCost });
  const includeSections = sections.length > 0 ? sections : undefined;
  const text = json && html === undefined ? '' : await analysis.toReport({ savePath: html, includeSections });
  if (json)
    return printJson(html === undefined ? ('profile' in analysis ? analysis.profile : analysis) : { path, html });
  process.stdout.write(html === undefined ? text : `${html}\n`);
}

/** Profiles a dataset, or all stages of a workflow. */
async function analyse(
  folder: string,
  options: LoadDatasetOptions,
): Promise<{ readonly path: string; readonly analysis: DatasetAnalysis | WorkflowAnalysis }> {
  const { metadataPath } = await import('@data-designer/workflow/workflow-metadata');
  if (existsSync(metadataPath(folder))) {
    const { loadWorkflow } = await import('@data-designer/workflow/load-workflow');
    const results = await loadWorkflow(folder, options);
    return { path: results.path, analysis: await results.loadWorkflowAnalysis() };
  }
  const { loadDataset } = await import('@data-designer/results/load-dataset');
  const { tellOfLostRows, warnOfDamages } = await import('./display/warn-of-damages.ts');
  const results = await loadDataset(folder, options);
  warnOfDamages(results.damages);
  tellOfLostRows(results);
  return { path: results.path, analysis: await results.loadAnalysis() };
}
