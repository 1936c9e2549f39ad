import { loadPlugins } from '@data-designer/columns';
import {
  checkOptions,
  type ColumnRegistry,
  joinProviders,
  optionRule,
  type OptionRules,
  readHome,
} from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { type LoadOptions, loadRun, type RunResult } from '@data-designer/engine';
import {
  builtInModelServers,
  builtInProviders,
  type GivenProviders,
  isSimulated,
  parseProviders,
  pluginAddress,
  providersRule,
  stopSignals,
} from '@data-designer/declaration';
import { NOT_EXPORTED, DatasetCreationResults } from './records/dataset-creation-results.ts';

/** The options to load a dataset with. */
export interface LoadDatasetOptions extends LoadOptions {
  /** Providers of models that summarise judge scores, in addition to the home folder's and the built-in ones. */
  readonly providers?: GivenProviders;
  /** The plug-ins of the dataset's columns and processors; a folder names no code. */
  readonly plugins?: readonly (string | URL)[];
}

const { amount, flag, list } = optionRule;
const RULES: OptionRules<LoadDatasetOptions> = {
  unfinished: flag,
  maxCost: amount,
  providers: providersRule,
  plugins: list,
};

/**
 * Loads a dataset from its folder, with the results that `create` returns; the folder is not changed. Throws
 * `dataset/missing`, `dataset/locked` during a run, `dataset/unfinished` unless allowed, and `dataset/damaged`.
 * `failures()` says why rows were lost; `lost` is empty for a loaded dataset.
 */
export async function loadDataset<Row = Record<string, unknown>>(
  path: string,
  options: LoadDatasetOptions = {},
): Promise<DatasetCreationResults<Row>> {
  const call = 'loadDataset()';
  checkOptions(options, RULES, call);
  const { providers = {}, plugins = [] } = options;
  const { servers } = parseProviders(providers, call);
  const registry = await loadPlugins(plugins.map(pluginAddress));
  return resultsOf<Row>(await loadRun(path, registry, options), registry, servers);
}

/** The results of a dataset that this program did not generate. */
export function resultsOf<Row>(
  result: RunResult,
  registry: ColumnRegistry,
  servers: ReturnType<typeof parseProviders>['servers'],
): DatasetCreationResults<Row> {
  const known = joinProviders(servers, readHome().providers, builtInProviders);
  const probe = { providers: known, modelServers: builtInModelServers, ...stopSignals({}) };
  const simulated = isSimulated(result.plan, known);
  return new DatasetCreationResults<Row>(result, {
    exported: NOT_EXPORTED,
    simulated,
    analyseOptions: { registry, probe },
    taskTraces: [],
  });
}

/** The plan of a dataset, also of one that the Python tool made; throws as `loadDataset` does. */
export async function loadPlan(path: string): Promise<Plan> {
  return (await loadRun(path, await loadPlugins([]), { unfinished: true })).plan;
}
