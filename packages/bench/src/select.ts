import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { contaminatedRows } from './select/contaminated-rows.ts';
import { minHashRecall, vectorRecall } from './select/recall.ts';
import { runWaste } from './select/run-waste.ts';
import { signingCost } from './select/signing-cost.ts';
import type { BenchRow } from './spine.ts';

const SELECT_MILLION = fileURLToPath(new URL('select/select-million.ts', import.meta.url));

/** What selection finds, beside exact methods, and what it costs. */
export async function select(): Promise<readonly BenchRow[]> {
  return [
    ...(await runWaste()),
    ...(await minHashRecall()),
    ...vectorRecall(),
    ...contaminatedRows(),
    ...signingCost(),
    await inOwnProcess('selector, a million candidates of 250 shingles', 'candidates'),
    await inOwnProcess('index of six million n-grams of benchmarks', 'ngrams'),
  ];
}

async function inOwnProcess(what: string, work: string): Promise<BenchRow> {
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, SELECT_MILLION, work]);
  const { perSecond, addedMb, resultMb }: { perSecond: number; addedMb: number; resultMb?: number } =
    JSON.parse(stdout);
  const size = resultMb === undefined ? {} : { 'MB of result': resultMb };
  return { what, figures: { 'per second of CPU': perSecond, 'MB added': addedMb, ...size } };
}
