import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  fetchDocument,
  homeFolder,
  type HomeFolder,
  loadDocument,
  makePrivateFolder,
  parseDocument,
  type PluginCatalogEntry,
  readPluginCatalogs,
  shownAddress,
  writeFile,
} from '@data-designer/config';
import { DataDesignerError, fieldsOf, messageOf, tryParse } from '@data-designer/core';
import { type Catalog, type CatalogPackage, checkCatalog } from './catalog.ts';

/** A catalog that was read. */
export interface LoadedCatalog {
  readonly alias: string;
  /** Its address without secrets, or its path. */
  readonly source: string;
  readonly packages: readonly CatalogPackage[];
}

/** Catalogs that were read, and warnings about those that were not. */
export interface LoadedCatalogs {
  readonly catalogs: readonly LoadedCatalog[];
  readonly warnings: readonly string[];
}

/** Which catalogs to read. */
export interface CatalogChoice {
  /** The alias of the only one; all unless given. */
  readonly catalog?: string | undefined;
  /** Whether to download again what is in the cache. */
  readonly refresh: boolean;
}

/**
 * Reads the catalogs of the home folder. Throws `plugin/unknown-catalog`, and `config/unreadable` or `config/invalid` if no
 * catalog can be read; with several catalogs, the failure of one is a warning.
 */
export async function loadCatalogs({ catalog, refresh }: CatalogChoice): Promise<LoadedCatalogs> {
  const folder = homeFolder();
  const entries = chooseEntries(readPluginCatalogs(folder), catalog);
  const catalogs: LoadedCatalog[] = [];
  const warnings: string[] = [];
  const failures: unknown[] = [];
  for (const entry of entries) {
    try {
      catalogs.push(await loadCatalog(entry, { folder, refresh, warn: (warning) => warnings.push(warning) }));
    } catch (thrown) {
      failures.push(thrown);
      warnings.push(`The catalog '${entry.alias}' is left out. ${messageOf(thrown)}`);
    }
  }
  if (catalogs.length === 0 && failures.length > 0) throw failures[0];
  return { catalogs, warnings };
}

function chooseEntries(
  entries: readonly PluginCatalogEntry[],
  wanted: string | undefined,
): readonly PluginCatalogEntry[] {
  if (wanted === undefined) return entries;
  const chosen = entries.filter(({ alias }) => alias === wanted.toLowerCase());
  if (chosen.length > 0) return chosen;
  throw new DataDesignerError('plugin/unknown-catalog', { alias: wanted, known: entries.map(({ alias }) => alias) });
}

const ADDRESS = /^[a-z][a-z\d+.-]+:\/\//i;

/** A given source as the home folder stores it: an address as it is, a path as an absolute one. */
export function storedSource(given: string): string {
  return ADDRESS.test(given) ? given : resolve(given);
}

/** A source for messages and tables, without secrets. */
export function shownSource(url: string): string {
  return ADDRESS.test(url) ? shownAddress(url) : url;
}

/** How to read a catalog. */
interface LoadOptions {
  readonly folder: HomeFolder;
  readonly refresh: boolean;
  readonly warn: (warning: string) => void;
}

/** Reads one catalog: a path always anew, an address from the cache while its copy is recent. */
export async function loadCatalog(entry: PluginCatalogEntry, options: LoadOptions): Promise<LoadedCatalog> {
  const { alias, url } = entry;
  const source = shownSource(url);
  const { packages } = ADDRESS.test(url) ? await remoteCatalog(entry, options) : localCatalog(url);
  return { alias, source, packages };
}

/** The catalog of a file, or of a folder with `plugins.json` or `catalog/plugins.json`. */
function localCatalog(path: string): Catalog {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return checkCatalog(loadDocument(path), path);
  const file = [join(path, 'plugins.json'), join(path, 'catalog', 'plugins.json')].find((one) => existsSync(one));
  if (file !== undefined) return checkCatalog(loadDocument(file), file);
  const reason = 'the folder has neither plugins.json nor catalog/plugins.json';
  throw new DataDesignerError('config/unreadable', { path, reason });
}

async function remoteCatalog(entry: PluginCatalogEntry, { folder, refresh, warn }: LoadOptions): Promise<Catalog> {
  const cached = readCopy(entry, folder);
  const age = cached ? Date.now() - cached.fetchedAt : Infinity;
  // A copy from the future comes from a wrong clock.
  if (!refresh && cached && age >= 0 && age < entry.cacheTtlSeconds * 1000) return cached.catalog;
  const path = shownSource(entry.url);
  let text: string;
  try {
    text = await fetchDocument(documentOf(entry.url), { allowPrivate: true });
  } catch (thrown) {
    if (refresh || !cached) throw thrown;
    const date = new Date(cached.fetchedAt).toISOString();
    warn(`The catalog '${entry.alias}' is the copy of ${date}, because it cannot be downloaded. ${messageOf(thrown)}`);
    return cached.catalog;
  }
  const document = parseDocument(text, { path, json: !/\.ya?ml$/i.test(new URL(entry.url).pathname) });
  const catalog = checkCatalog(document, path);
  saveCopy(entry, { folder, document, warn });
  return catalog;
}

/** A repository or a folder of it on GitHub. */
const GITHUB_FOLDER = /^https:\/\/(?:www\.)?github\.com\/([^/?#]+\/[^/?#]+?)(?:\.git)?\/?(?:\/tree\/([^?#]+?)\/?)?$/;

/** The address of the file with the catalog, also for a repository or a folder on GitHub. */
export function documentOf(address: string): string {
  const [, repository, tree = 'HEAD'] = GITHUB_FOLDER.exec(address) ?? [];
  if (repository === undefined) return address;
  const folder = tree.endsWith('/catalog') ? tree : `${tree}/catalog`;
  return `https://github.com/${repository}/blob/${folder}/plugins.json`;
}

/** The file of a copy: other addresses of the same alias have other files. */
function copyPath({ alias, url }: PluginCatalogEntry, { pluginCatalogCache }: HomeFolder): string {
  return join(pluginCatalogCache, `${alias}-${createHash('sha256').update(url).digest('hex').slice(0, 12)}.json`);
}

/** The stored copy of a catalog; undefined if there is none, or if it is damaged. */
function readCopy(
  entry: PluginCatalogEntry,
  folder: HomeFolder,
): { readonly catalog: Catalog; readonly fetchedAt: number } | undefined {
  return tryParse(copyPath(entry, folder), (path) => {
    const copy: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const { catalog, fetched_at: fetched } = fieldsOf(copy);
    const fetchedAt = Date.parse(String(fetched));
    return Number.isNaN(fetchedAt) ? undefined : { catalog: checkCatalog(catalog, path), fetchedAt };
  });
}

/** Stores a copy with the members that the Python tool's copies have. */
function saveCopy(
  entry: PluginCatalogEntry,
  { folder, document, warn }: Omit<LoadOptions, 'refresh'> & { readonly document: unknown },
): void {
  const copy = {
    catalog_alias: entry.alias,
    catalog_url: shownSource(entry.url),
    fetched_at: new Date().toISOString(),
    catalog: document,
  };
  try {
    makePrivateFolder(folder.pluginCatalogCache);
    writeFile(copyPath(entry, folder), JSON.stringify(copy), { overwrite: true, isPrivate: true });
  } catch (thrown) {
    warn(`The catalog '${entry.alias}' is not cached. ${messageOf(thrown)}`);
  }
}

/** Deletes the copy of a catalog if possible; one that stays is no longer read. */
export function deleteCopy(entry: PluginCatalogEntry, folder: HomeFolder): void {
  try {
    rmSync(copyPath(entry, folder), { force: true });
  } catch {
    // As above.
  }
}
