import { basename, relative } from 'node:path';
import { isWebAddress } from '@data-designer/core';
import type { DatasetAnalysis, DatasetCreationResults } from '@data-designer/results';
import { pluralize, priceOfRetry, shellWord } from '@data-designer/printing';
import { continueCommand } from './interrupt-hint.ts';
import { outcomeOf, printAttempts, printJson, printLosses, printUsage } from './print-results.ts';

/** Files and statistics made from a dataset. */
interface CreatedExtras {
  readonly analysis: DatasetAnalysis | undefined;
  /** The HTML file of the report. */
  readonly page: string | undefined;
}

/** Prints the results of a run as one JSON object. */
export function printCreatedJson(results: DatasetCreationResults, { analysis, page }: CreatedExtras): void {
  const { path, exported, datasetName, divertedFrom, count: records, reRequested, retriable } = results;
  printJson({
    path,
    ...(exported ? { exported } : {}),
    ...(analysis ? { report: page ?? analysis.profile } : {}),
    datasetName,
    ...(divertedFrom === null ? {} : { divertedFrom }),
    records,
    ...pythonNames(results),
    ...outcomeOf(results),
    ...(reRequested > 0 ? { reRequested } : {}),
    ...(retriable ? { retriable } : {}),
  });
}

/** The results under the names of the Python tool. */
function pythonNames({
  datasetPath,
  requestedNumRecords,
  actualNumRecords,
  isPartial,
  earlyShutdown,
  effectiveResumeMode,
}: DatasetCreationResults) {
  return { datasetPath, requestedNumRecords, actualNumRecords, isPartial, earlyShutdown, effectiveResumeMode };
}

/** Prints the results of a run as text, with the report if it has no file. */
export async function printCreated(results: DatasetCreationResults, { analysis, page }: CreatedExtras): Promise<void> {
  const { path, exported, count, requested, reRequested } = results;
  printLosses(results);
  printAttempts(results);
  printUsage(results);
  if (reRequested > 0)
    process.stdout.write(`${pluralize(reRequested, 'answer')} requested again, because the prompts had changed\n`);
  process.stdout.write(
    `${count} of ${pluralize(requested, 'record')} in ${path}\n${exported ? `Exported to ${exported}\n` : ''}`,
  );
  if (page !== undefined) process.stdout.write(`Report in ${page}\n`);
  else if (analysis) process.stdout.write(`\n${await analysis.toReport()}`);
  process.stdout.write(retryHint(results));
  if (count > 0) process.stdout.write(nextCommands(path, { isReported: analysis !== undefined }));
}

/** Says which command makes the lost rows again, and about what that costs. */
function retryHint({ path, datasetName, divertedFrom, retriable }: DatasetCreationResults): string {
  if (!retriable) return '';
  const { rows, cost } = retriable;
  const name = divertedFrom === null ? datasetName : basename(divertedFrom);
  const command = continueCommand(process.argv.slice(2), { path, name, flags: ['--retry-lost'] });
  return `To make the ${pluralize(rows, 'lost row')} again${priceOfRetry(cost)}: ${command}\n`;
}

/** Says which commands show the rows and the statistics of a dataset. */
function nextCommands(path: string, { isReported }: { readonly isReported: boolean }): string {
  const near = relative('', path);
  const folder = shellWord(near === '' || near.startsWith('..') ? path : near);
  return `
Look at the records:  npx data-designer show ${folder}
${isReported ? '' : `See the statistics:   npx data-designer report ${folder}\n`}In the browser:       npx data-designer view ${folder}
`;
}

/** Says how to run a config of the simulator with a real model: for a file, the command that changes a copy of it. */
export function realModelHint(source: string): string {
  const intro = 'The built-in simulator made these answers up. For real answers,';
  const kinds = 'name a provider (openai, vllm, ollama, …) and a model';
  if (isWebAddress(source)) return `\n${intro} ${kinds} in a copy of the config.\n`;
  if (/\.[cm]?[jt]s$/i.test(source)) return `\n${intro} ${kinds} in ${source}.\n`;
  const mine = source.toLowerCase().endsWith('.json') ? 'mine.json' : 'mine.yaml';
  return `
${intro} ${kinds}:
  sed '${swap(mine === 'mine.json' ? '"' : '')}' ${shellWord(source)} > ${mine}
  npx data-designer create ${mine}
`;
}

/** A sed script that replaces only the names: other keys may follow on the same line. */
function swap(quote: string): string {
  const pair = (key: string, value: string) => `${quote}${key}${quote}: *${quote}${value}`;
  const written = (key: string, value: string) => `${quote}${key}${quote}: ${quote}${value}`;
  const provider = `s/${pair('provider', 'simulator')}/${written('provider', 'openai')}/`;
  return `${provider}; s/${pair('model', 'sim-[a-z0-9-]*')}/${written('model', 'gpt-4.1')}/`;
}
