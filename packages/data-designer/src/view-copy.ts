import { join } from 'node:path';
import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import type { PrivateParts } from '@data-designer/viewer';
import { packageFolder, packageVersion } from './options/package-version.ts';
import { pluginAddress } from './options/plugin-address.ts';

/** What a static copy of a dataset holds. */
export interface ViewerCopyOptions {
  /** Whether conversations and raw answers are part of it; default false. */
  readonly traces?: boolean;
  /** Whether the reviews of rows are part of it; default false. */
  readonly reviews?: boolean;
  /** The plug-ins of the dataset's columns; a folder names no code. */
  readonly plugins?: readonly (string | URL)[];
}

const { flag, list } = optionRule;
const RULES: OptionRules<ViewerCopyOptions> = { traces: flag, reviews: flag, plugins: list };

/**
 * Writes a static copy of the viewer's pages with the rows of a dataset to a new or empty folder, for any web server. Secrets
 * and paths of this machine are removed from the declaration. Returns the number of rows. Throws `dataset/missing`,
 * `dataset/locked` during a run, `usage/invalid` for a folder of several datasets, and `dataset/unwritable`.
 */
export async function writeViewerCopy(folder: string, to: string, options: ViewerCopyOptions = {}): Promise<number> {
  checkOptions(options, RULES, 'writeViewerCopy()');
  const { traces = false, reviews = false, plugins = [] } = options;
  const { writeCopy } = await import('@data-designer/viewer');
  const { sharedConfig } = await import('./push/shared-config.ts');
  return writeCopy({
    ...(await openedBy(folder, plugins)),
    to,
    appFolder: join(packageFolder(), 'dist', 'viewer-copy'),
    traces,
    reviews,
    shareConfig: (config) => sharedConfig(config, process.env),
  });
}

/** What a copy of a dataset leaves out unless it is told to include it; throws as `writeViewerCopy` does. */
export async function privatePartsOf(
  folder: string,
  { plugins = [] }: Pick<ViewerCopyOptions, 'plugins'>,
): Promise<PrivateParts> {
  const { privateParts } = await import('@data-designer/viewer');
  return privateParts(await openedBy(folder, plugins));
}

async function openedBy(folder: string, plugins: readonly (string | URL)[]) {
  const { loadPlugins } = await import('@data-designer/columns');
  return { folder, registry: await loadPlugins(plugins.map(pluginAddress)), version: packageVersion() };
}
