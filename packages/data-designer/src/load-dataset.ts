import { loadPlugins } from '@data-designer/columns';
import { joinProviders, readHome } from '@data-designer/config';
import { type LoadOptions, loadRun } from '@data-designer/engine';
import { builtInModelServers, builtInProviders, isSimulated } from './built-in-providers.ts';
import { DatasetCreationResults } from './records/dataset-creation-results.ts';
import { type GivenProviders, splitProviders } from './options/given-providers.ts';
import { pluginAddress } from './options/plugin-address.ts';

/** How a dataset is loaded. */
export interface LoadDatasetOptions extends LoadOptions {
  /** Providers of the models that sum up what judges found, beside those of the home folder and the built-in ones. */
  readonly providers?: GivenProviders;
  /** The plug-ins whose columns and processors the dataset has; a folder names no code. */
  readonly plugins?: readonly (string | URL)[];
}

/**
 * A dataset that was made earlier, by its folder, as `create` gives it; nothing there is changed. Throws
 * `dataset/missing`, `dataset/locked` while a run is at work there, `dataset/unfinished` unless that is allowed, and
 * `dataset/damaged`. Why rows were lost tells `failures()`; `lost` counts those of a run that is just over.
 */
export async function loadDataset<Row = Record<string, unknown>>(
  path: string,
  options: LoadDatasetOptions = {},
): Promise<DatasetCreationResults<Row>> {
  const result = await loadRun(path, options);
  const { providers = { models: [], tools: [] }, plugins = [] } = options;
  const given = joinProviders(splitProviders(providers).servers, readHome().providers, builtInProviders);
  const never = new AbortController().signal;
  const outside = { providers: given, modelServers: builtInModelServers, signal: never, drain: never };
  const looking = { registry: await loadPlugins(plugins.map(pluginAddress)), outside };
  return new DatasetCreationResults<Row>(result, {
    exported: null,
    simulated: isSimulated(result.plan, given),
    looking,
  });
}
