import { DEFAULT_ROWS } from '@data-designer/declaration';
import { MAIN_THREAD_ROWS, offerMainThread, warmIoThread, warmWorker } from '@data-designer/engine/warm';
import type { CommonFlags } from './flags/common-flags.ts';
import type { CommandConfig } from './code-config/load-code-config.ts';

export { endWarmThreads } from '@data-designer/engine/warm';

interface RowFlags extends CommonFlags {
  readonly numRecords?: number | undefined;
  readonly cluster?: string;
}

/**
 * Reads a command's config while the threads load that its rows need: a worker thread, unless the main thread can make
 * them, and the I/O thread if a column names a model.
 */
export async function readConfigWarm(source: string, flags: RowFlags): Promise<CommandConfig> {
  const { numRecords = DEFAULT_ROWS } = flags;
  const isSmall = numRecords <= MAIN_THREAD_ROWS && flags.cluster === undefined && flags.plugins.length === 0;
  if (!isSmall) warmWorker();
  const { readConfig, threadNeeds } = await import('./flags/read-common-flags.ts');
  const declaration = await readConfig(source, flags);
  const { worker, models } = threadNeeds(declaration);
  if (isSmall && !worker) offerMainThread();
  else if (isSmall) warmWorker();
  if (models) warmIoThread();
  return declaration;
}
