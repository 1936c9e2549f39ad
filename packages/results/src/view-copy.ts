import { join } from 'node:path';
import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import type { PrivateParts } from '@data-designer/viewer';
import { packageFolder, packageVersion, pluginAddress } from '@data-designer/declaration';

/** What a static copy holds. */
export interface ViewerCopyOptions {
  /** Whether conversations and raw answers are part of it; default false. */
  readonly traces?: boolean;
  /** Whether the reviews of rows are part of it; default false. */
  readonly reviews?: boolean;
  /** Another dataset to compare with, which is part of the copy. */
  readonly compare?: string | undefined;
  /** The plug-ins of the dataset's columns; a folder names no code. */
  readonly plugins?: readonly (string | URL)[];
}

const { flag, list, text } = optionRule;
const RULES: OptionRules<ViewerCopyOptions> = { traces: flag, reviews: flag, compare: text, plugins: list };

/**
 * Writes a static copy of the viewer's pages with the rows of a dataset to a new or empty folder, for any web server.
 * For a workflow or a folder of datasets, the copy contains all datasets. Secrets and paths of this machine are removed
 * from the declaration. Returns the number of rows. Throws `dataset/missing`, `dataset/locked` during a run, and
 * `dataset/unwritable`.
 */
export async function writeViewerCopy(folder: string, to: string, options: ViewerCopyOptions = {}): Promise<number> {
  checkOptions(options, RULES, 'writeViewerCopy()');
  const { traces = false, reviews = false } = options;
  const { writeCopy } = await import('@data-designer/viewer');
  const { sharedConfig } = await import('./push/shared-config.ts');
  return writeCopy({
    ...(await openedBy(folder, options)),
    to,
    appFolder: join(packageFolder(), 'dist', 'viewer-copy'),
    traces,
    reviews,
    shareConfig: (config) => sharedConfig(config, process.env),
  });
}

type Opened = Pick<ViewerCopyOptions, 'compare' | 'plugins'>;

/** What a copy leaves out unless it is told to include it; throws as `writeViewerCopy` does. */
export async function privatePartsOf(folder: string, options: Opened): Promise<PrivateParts> {
  const { privateParts } = await import('@data-designer/viewer');
  return privateParts(await openedBy(folder, options));
}

async function openedBy(folder: string, { compare, plugins = [] }: Opened) {
  const { loadPlugins } = await import('@data-designer/columns');
  return {
    folders: compare === undefined ? [folder] : [folder, compare],
    registry: await loadPlugins(plugins.map(pluginAddress)),
    version: packageVersion(),
  };
}
