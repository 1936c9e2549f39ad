import { type LoadOptions, loadRun } from '@data-designer/engine';
import { builtInModelServers } from './built-in-providers.ts';
import { DatasetCreationResults } from './dataset-creation-results.ts';

/**
 * A dataset that was made earlier, by its folder, as `create` gives it; nothing there is changed. Throws
 * `dataset/missing`, `dataset/locked` while a run is at work there, `dataset/unfinished` unless that is allowed, and
 * `dataset/damaged`. Why rows were lost tells `failures()`; `lost` counts those of a run that is just over.
 */
export async function loadDataset<Row = Record<string, unknown>>(
  path: string,
  options: LoadOptions = {},
): Promise<DatasetCreationResults<Row>> {
  const result = await loadRun(path, options);
  const builtIn = new Set(builtInModelServers.map(({ name }) => name));
  const simulated = result.plan.resources.some(({ kind, provider }) => kind === 'model' && builtIn.has(provider));
  return new DatasetCreationResults<Row>(result, { simulated });
}
