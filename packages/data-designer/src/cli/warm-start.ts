import { isMapping } from '@data-designer/config';
import { warmIoThread, warmWorker } from '@data-designer/engine/warm';
import type { CommonFlags } from './flags/common-flags.ts';
import type { CommandConfig } from './code-config/load-code-config.ts';

export { endWarmThreads } from '@data-designer/engine/warm';

/**
 * Reads a command's config while a worker thread loads; the I/O thread starts too if a column names a model. Both load
 * while the rest of the program does, so that the first request leaves earlier.
 */
export async function readConfigWarm(source: string, flags: CommonFlags): Promise<CommandConfig> {
  warmWorker();
  const { readConfig } = await import('./flags/read-common-flags.ts');
  const declaration = await readConfig(source, flags);
  if (namesModel(declaration)) warmIoThread();
  return declaration;
}

function namesModel({ document, spelling }: CommandConfig): boolean {
  const root = isMapping(document) && isMapping(document['data_designer']) ? document['data_designer'] : document;
  const columns = isMapping(root) ? root['columns'] : undefined;
  const key = spelling === 'camel' ? 'modelAlias' : 'model_alias';
  return Array.isArray(columns) && columns.some((column) => isMapping(column) && key in column);
}
