import { basename, resolve } from 'node:path';
import { loadPlugins } from '@data-designer/columns';
import { checkOptions, optionRule, type OptionRules, type SelectDeclaration } from '@data-designer/config';
import type { ReviewUse } from '@data-designer/dataset/reviews';
import { selectRows } from '@data-designer/engine';
import { resultsOf } from './load-dataset.ts';
import { parseProviders, pluginAddress } from '@data-designer/declaration';
import type { DatasetCreationResults } from './records/dataset-creation-results.ts';

/** How rows of a finished dataset are selected. */
export interface SelectDatasetOptions {
  /** The rules, as `select` in a config has them; without any, all rows are accepted. */
  readonly select?: SelectDeclaration;
  /** The number of rows to accept; default: all that the rules accept. */
  readonly numRecords?: number | undefined;
  /** The name of the new dataset; default: the name of the source with `-selected`. */
  readonly datasetName?: string | undefined;
  /** The parent folder of the new dataset; default `./artifacts`. */
  readonly artifactPath?: string;
  /** How the reviews of the dataset change its rows, before the rules see them; not at all unless given. */
  readonly reviews?: ReviewUse;
  /** Stops the selection; it then leaves no dataset. */
  readonly signal?: AbortSignal;
  /** The plug-ins of the dataset's columns and processors. */
  readonly plugins?: readonly (string | URL)[];
}

const { flag, rows, text, mapping, signal: signalRule, list } = optionRule;
const RULES: OptionRules<SelectDatasetOptions> = {
  select: mapping,
  numRecords: rows,
  datasetName: text,
  artifactPath: text,
  reviews: { ...mapping, within: { applyEdits: flag, dropRejected: flag, acceptedOnly: flag } },
  signal: signalRule,
  plugins: list,
};

/**
 * Writes the rows of a finished dataset that rules accept to a new dataset, in their order and without a model; the source
 * is not changed. With too few rows for `numRecords`, `ended` says why. Throws `config/invalid` for wrong rules before it
 * writes, `select/too-few` without an accepted row, and what `loadDataset` throws.
 */
export async function selectDataset<Row = Record<string, unknown>>(
  path: string,
  options: SelectDatasetOptions = {},
): Promise<DatasetCreationResults<Row>> {
  const call = 'selectDataset()';
  checkOptions(options, RULES, call);
  const { select = {}, plugins = [], artifactPath = './artifacts', numRecords, signal, reviews = {} } = options;
  const { datasetName = `${basename(resolve(path))}-selected` } = options;
  const registry = await loadPlugins(plugins.map(pluginAddress));
  const result = await selectRows(path, select, { artifactPath, datasetName, numRecords, reviews, signal, registry });
  return resultsOf<Row>(result, registry, parseProviders({}, call).servers);
}
