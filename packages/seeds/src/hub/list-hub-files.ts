import { isMapping, tableFormat } from '@data-designer/config';
import { DataDesignerError, isFailure, knownNames } from '@data-designer/core';
import { isCacheable } from './cache-path.ts';
import { pathOf, type WantedHubPart } from './hub-answer.ts';
import { type HubClient, hubUrl, notTheApi } from './hub-client.ts';
import { type HubPattern, hubPattern } from './hub-pattern.ts';
import type { Checksum } from './partial-file.ts';
import type { ResolvedPath } from './resolve-commit.ts';

/** A file of a dataset on the Hub. */
export interface HubFile {
  /** Relative to the dataset, with `/`; it passes `isCacheable`. */
  readonly path: string;
  readonly bytes: number;
  readonly checksum: Checksum | undefined;
}

const MAX_FILES = 100_000;
const MAX_PAGES = 10_000;
/** Names that an error may suggest. */
const MAX_NEAR = 1000;
/** Errors cut longer names. */
const MAX_SHOWN = 200;

interface Listing {
  readonly wanted: WantedHubPart;
  readonly pattern: HubPattern;
  readonly files: Map<string, HubFile>;
  readonly near: Set<string>;
}

/** The files that match a pattern, at least one, by path; throws `hub/missing` with similar names, or `hub/refused`. */
export async function listHubFiles(client: HubClient, resolved: ResolvedPath): Promise<readonly HubFile[]> {
  const { endpoint } = client;
  const { dataset, revision } = resolved;
  const pattern = hubPattern(resolved.pattern);
  const wanted: WantedHubPart = { endpoint, dataset, revision, part: 'folder', name: pattern.folder };
  const listing: Listing = { wanted, pattern, files: new Map(), near: new Set() };
  try {
    await readPages(client, treeUrl(client, resolved, pattern), listing);
  } catch (thrown) {
    if (!isFailure(thrown, 'hub/missing') || thrown.data.part !== 'folder' || pattern.folder === '') throw thrown;
    // One page of the dataset's files is enough for suggestions.
    const top = await client.api(treeUrl(client, resolved, { folder: '', isDeep: true }), wanted);
    takeAll(top.value, listing);
  }
  if (listing.files.size === 0) throw noneMatches(listing);
  return [...listing.files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function treeUrl({ endpoint }: HubClient, resolved: ResolvedPath, where: Pick<HubPattern, 'folder' | 'isDeep'>): URL {
  const folder = where.folder === '' ? [] : where.folder.split('/');
  const names = ['api', 'datasets', ...resolved.dataset.split('/'), 'tree', resolved.commit, ...folder];
  return hubUrl(endpoint, names, `?recursive=${where.isDeep}`);
}

async function readPages(client: HubClient, start: URL, listing: Listing): Promise<void> {
  const seen = new Set<string>();
  for (let url: URL | undefined = start; url;) {
    if (seen.has(url.href) || seen.size >= MAX_PAGES) throw refused(listing, 'the list of its files does not end');
    seen.add(url.href);
    const page = await client.api(url, listing.wanted);
    takeAll(page.value, listing);
    url = page.next;
  }
}

function takeAll(entries: unknown, listing: Listing): void {
  if (!Array.isArray(entries)) throw notTheApi(listing.wanted);
  for (const entry of entries) take(entry, listing);
}

function take(entry: unknown, { wanted, pattern, files, near }: Listing): void {
  if (!isMapping(entry) || typeof entry['path'] !== 'string') throw notTheApi(wanted);
  const { type, path } = entry;
  if (type !== 'file') return;
  const isSafe = isCacheable(path);
  if (!pattern.matches(path)) {
    if (isSafe && tableFormat(path) && near.size < MAX_NEAR) near.add(path);
    return;
  }
  if (!isSafe) {
    const shown = path.slice(0, MAX_SHOWN).replaceAll(/\p{Cc}/gu, '?');
    throw refused({ wanted, pattern }, `it has a file whose name cannot be used on this machine: '${shown}'`);
  }
  if (files.size >= MAX_FILES) throw refused({ wanted, pattern }, `it matches more than ${MAX_FILES} files`);
  const file = readFile(path, entry);
  if (!file) throw notTheApi(wanted);
  files.set(path, file);
}

/** Git holds only a pointer to a large file: its size and hash are under `lfs`. */
function readFile(path: string, entry: Readonly<Record<string, unknown>>): HubFile | undefined {
  const lfs = isMapping(entry['lfs']) ? entry['lfs'] : undefined;
  const bytes = lfs?.['size'] ?? entry['size'];
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  return { path, bytes, checksum: lfs ? sha256(lfs['oid']) : gitName(entry['oid'], bytes) };
}

function sha256(oid: unknown): Checksum | undefined {
  const hex = typeof oid === 'string' ? /^(?:sha256:)?([0-9a-f]{64})$/i.exec(oid)?.[1] : undefined;
  return hex === undefined ? undefined : { kind: 'sha256', hex: hex.toLowerCase() };
}

function gitName(oid: unknown, bytes: number): Checksum | undefined {
  const isHash = typeof oid === 'string' && /^[0-9a-f]{40}$/i.test(oid);
  return isHash ? { kind: 'git', hex: oid.toLowerCase(), bytes } : undefined;
}

function refused({ wanted, pattern }: Pick<Listing, 'wanted' | 'pattern'>, reason: string) {
  const path = pathOf({ ...wanted, part: 'file', name: pattern.text });
  return new DataDesignerError('hub/refused', { path, reason, remedy: 'Use other files or another dataset.' });
}

function noneMatches({ wanted, pattern, near }: Listing): DataDesignerError<'hub/missing'> {
  const where = `The dataset '${wanted.dataset}' (${wanted.revision})`;
  const remedy = near.size === 0 ? 'No table file has a similar name.' : knownNames(pattern.text, [...near].toSorted());
  return new DataDesignerError('hub/missing', { where, part: 'file', name: pattern.text, remedy });
}
