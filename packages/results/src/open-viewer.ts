import { join } from 'node:path';
import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import type { Viewer } from '@data-designer/viewer';
import { packageFolder, packageVersion, pluginAddress, resolveMediaRoots } from '@data-designer/declaration';

/** How a viewer is opened. */
export interface OpenViewerOptions {
  /** The port to listen at, 0 for any free one; unless given, the same one each time for a folder, if it is free. */
  readonly port?: number | undefined;
  /** The address to listen at; 127.0.0.1, which only this machine reaches, unless given. */
  readonly host?: string | undefined;
  /** Further names that browsers may call this machine by. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Another dataset to compare with. */
  readonly compare?: string | undefined;
  /** The plug-ins of the dataset's columns; a folder names no code. */
  readonly plugins?: readonly (string | URL)[];
  /** Further folders, beside that of the dataset, whose images and other files cells may name. */
  readonly mediaRoots?: readonly string[];
  /** Closes the viewer when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const { list, signal, text } = optionRule;
const RULES: OptionRules<OpenViewerOptions> = {
  port: {
    fits: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535,
    kind: 'a port',
    remedy: 'Use a whole number from 0 to 65535.',
  },
  host: text,
  allowedHosts: list,
  compare: text,
  plugins: list,
  mediaRoots: list,
  signal,
};

/**
 * Shows a dataset in the browser, also while a run makes it: opens a server on this machine and returns its address, which
 * holds its token. The folder may be that of a workflow, or hold several datasets. The dataset is not changed; only reviews
 * are written. Throws `dataset/missing`, `dataset/no-media-root`
 * and `environment/cannot-listen`.
 */
export async function openViewer(folder: string, options: OpenViewerOptions = {}): Promise<Viewer> {
  checkOptions(options, RULES, 'openViewer()');
  const { serveViewer } = await import('@data-designer/viewer');
  const { loadPlugins } = await import('@data-designer/columns');
  const { compare, plugins = [], mediaRoots = [], ...at } = options;
  return serveViewer({
    ...at,
    mediaRoots: resolveMediaRoots(mediaRoots),
    folders: compare === undefined ? [folder] : [folder, compare],
    registry: await loadPlugins(plugins.map(pluginAddress)),
    version: packageVersion(),
    appFolder: join(packageFolder(), 'dist', 'viewer'),
  });
}
