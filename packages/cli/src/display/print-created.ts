import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { isWebAddress, tryParse } from '@data-designer/core';
import { datasetPaths, readSelection } from '@data-designer/dataset';
import type { DatasetAnalysis, DatasetCreationResults } from '@data-designer/results';
import { pluralize, priceOfRetry, shellWord } from '@data-designer/printing';
import { describeEscaped } from './describe-escaped.ts';
import { commandOf, continueCommand, freshArgs } from './interrupt-hint.ts';
import { describeUnverified } from './warn-of-damages.ts';
import { outcomeOf, printAttempts, printJson, printLosses, printUsage } from './print-results.ts';
import { shellPath } from './shell-path.ts';

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
export async function printCreated(
  results: DatasetCreationResults,
  { analysis, page, isWhole }: CreatedExtras & { readonly isWhole: boolean },
): Promise<void> {
  const { path, exported, escapedTexts, count, requested, reRequested } = results;
  if (isWhole && count >= requested) process.stdout.write('The dataset is complete; no request was sent.\n');
  else {
    printLosses(results);
    printAttempts(results);
    printUsage(results);
  }
  if (reRequested > 0)
    process.stdout.write(`${pluralize(reRequested, 'answer')} requested again, because the prompts had changed\n`);
  process.stdout.write(
    `${count} of ${pluralize(requested, 'record')}${acceptedIn(results)} in ${path}\n${exported ? `Exported to ${exported}\n` : ''}${describeEscaped(escapedTexts)}`,
  );
  process.stdout.write(await leftCandidates(path));
  if (page !== undefined) process.stdout.write(`Report in ${page}\n`);
  else if (analysis) process.stdout.write(`\n${await analysis.toReport()}`);
  process.stdout.write(retryHint(results));
  for (const one of describeUnverified(results)) process.stdout.write(`${one}\n`);
  if (count > 0) process.stdout.write(nextCommands(path, { isReported: analysis !== undefined }));
}

/** Tells of paid candidates that the dataset did not need, and how to use them. */
async function leftCandidates(path: string): Promise<string> {
  const { left = 0 } = (await readSelection(datasetPaths(path).metadata)) ?? {};
  if (left === 0 || !existsSync(join(path, 'candidates'))) return '';
  const are = left === 1 ? 'is' : 'are';
  return `${pluralize(left, 'more candidate')} ${are} complete: a larger -n with --resume always takes ${left === 1 ? 'it' : 'them'} first, without new requests.\n`;
}

/** How many rows the blocks of attempts accepted, where that is not all; empty text otherwise. */
function acceptedIn({ attempts }: Pick<DatasetCreationResults, 'attempts'>): string {
  const found = Object.entries(attempts).filter(([, { rows, accepted }]) => accepted < rows);
  return found.map(([block, { accepted }]) => `, ${accepted} accepted by '${block}'`).join('');
}

/** Says which command makes the lost rows again, and about what that costs. */
function retryHint(results: DatasetCreationResults): string {
  const { path, datasetName, divertedFrom, retriable, isPartial } = results;
  if (!retriable) {
    const told = isPartial ? results.describeLostRows('') : null;
    return told === null ? '' : `${told}.\n`;
  }
  const { rows, cost } = retriable;
  const name = divertedFrom === null ? datasetName : basename(divertedFrom);
  const command = continueCommand(process.argv.slice(2), { path, name, flags: ['--retry-lost'] });
  return `To make the ${pluralize(rows, 'lost row')} again${priceOfRetry(cost)}: ${command}\n`;
}

/** Says which commands show the rows and the statistics of a dataset. */
function nextCommands(path: string, { isReported }: { readonly isReported: boolean }): string {
  const folder = shellPath(path);
  return `
Look at the records:  npx data-designer show ${folder}
${isReported ? '' : `See the statistics:   npx data-designer report ${folder}\n`}In the browser:       npx data-designer view ${folder}
`;
}

/** A command line that made answers with the simulator. */
interface SimulatedRun {
  /** The config, as the command line names it. */
  readonly source: string;
  /** The words of the command line. */
  readonly args: readonly string[];
  /** The names of the model providers. */
  readonly providers: readonly string[];
}

/** Says how to run a config of the simulator with a real model: for a file, the commands that change and run a copy of it. */
export function realModelHint({ source, args, providers }: SimulatedRun): string {
  const intro = 'The built-in simulator made these answers up. For real answers,';
  const kinds = 'name a provider (openai, vllm, ollama, …) and a model';
  if (isWebAddress(source)) return `\n${intro} ${kinds} in a copy of the config.\n`;
  const script = providers.includes('openai') ? swapIn(source) : undefined;
  if (script === undefined) return `\n${intro} ${kinds} where the config names the simulator.\n`;
  const mine = `mine${extname(source).toLowerCase()}`;
  return `
${intro} ${kinds}. For openai, whose key is in OPENAI_API_KEY:
  sed '${script}' ${shellWord(source)} > ${mine}
  ${commandOf(freshArgs(args).map((word) => (word === source ? mine : word)))}
`;
}

/** The models of OpenAI that do what those of the simulator do. */
const REAL_MODELS = [
  ['sim-small', 'gpt-4.1'],
  ['sim-large', 'gpt-4.1'],
  ['sim-embed', 'text-embedding-3-large'],
] as const;

/** A sed script that replaces only the names in a config, since other keys may follow on a line; undefined if that is not enough. */
function swapIn(source: string): string | undefined {
  if (!/\.(?:ya?ml|json)$/i.test(source)) return undefined;
  const text = tryParse(source, (path) => readFileSync(path, 'utf8'));
  if (text === undefined) return undefined;
  const quote = /\.json$/i.test(source) ? '"' : '';
  const pairs = [['provider', 'simulator', 'openai'], ...REAL_MODELS.map((pair) => ['model', ...pair])] as const;
  const used: string[] = [];
  let swapped = text;
  for (const [key, before, after] of pairs) {
    const pattern = `${quote}${key}${quote}: *${quote}${before}`;
    const replaced = swapped.replaceAll(new RegExp(pattern, 'g'), `${quote}${key}${quote}: ${quote}${after}`);
    if (replaced !== swapped) used.push(`s/${pattern}/${quote}${key}${quote}: ${quote}${after}/g`);
    swapped = replaced;
  }
  const isWhole = used.length > 1 && !/\bsim-[a-z]|provider\W*simulator/.test(swapped);
  return isWhole ? used.join('; ') : undefined;
}
