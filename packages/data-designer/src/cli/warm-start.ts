import { MAIN_THREAD_ROWS, offerMainThread, warmIoThread, warmWorker } from '@data-designer/engine/warm';
import type { CommonFlags } from './flags/common-flags.ts';
import type { CommandConfig } from './code-config/load-code-config.ts';

export { endWarmThreads } from '@data-designer/engine/warm';

interface RowFlags extends CommonFlags {
  readonly numRecords: number;
  readonly cluster?: string;
}

/**
 * Reads a command's config while the threads load that its rows need: a worker thread, unless the main thread can make
 * them, and the I/O thread if a column names a model.
 */
export async function readConfigWarm(source: string, flags: RowFlags): Promise<CommandConfig> {
  const isSmall = flags.numRecords <= MAIN_THREAD_ROWS && flags.cluster === undefined && flags.plugins.length === 0;
  if (!isSmall) warmWorker();
  const { readConfig, threadNeeds } = await import('./flags/read-common-flags.ts');
  const declaration = await readConfig(source, flags);
  const { worker, models } = threadNeeds(declaration);
  if (isSmall && !worker) offerMainThread();
  else if (isSmall) warmWorker();
  if (models) warmIoThread();
  return declaration;
}

/** A run that lasts longer than this waits for answers, so that there is time to prepare its statistics. */
const WAITING_MS = 300;

/** Prepares the statistics of a run that has begun, if it is one of few rows: a long one would hold their memory all the time. */
export function prepareStatistics({ numRecords }: Pick<RowFlags, 'numRecords'>): NodeJS.Timeout | undefined {
  if (numRecords > MAIN_THREAD_ROWS) return undefined;
  // The statistics report what fails here.
  return setTimeout(() => void loadStatistics().catch(() => {}), WAITING_MS);
}

async function loadStatistics(): Promise<void> {
  const { startBoundedDuckDb } = await import('@data-designer/profile');
  startBoundedDuckDb();
}
