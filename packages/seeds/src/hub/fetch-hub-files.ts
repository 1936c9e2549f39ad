import { join } from 'node:path';
import { type SeedSource, TABLE_FORMATS, tableFormat, type TableFormat } from '@data-designer/config';
import { DataDesignerError, refuseStopped } from '@data-designer/core';
import { commitFolder } from './cache-path.ts';
import { downloadFile } from './download-file.ts';
import { createHubClient, type HubClient } from './hub-client.ts';
import { readHubPath } from './hub-path.ts';
import { readHubToken } from './hub-token.ts';
import { type HubFile, listHubFiles } from './list-hub-files.ts';
import { removeAbandoned } from './partial-file.ts';
import { resolveCommit, type ResolvedPath } from './resolve-commit.ts';

/** The source of a seed on the Hub. */
export type HubSource = Pick<Extract<SeedSource, { seedType: 'hf' }>, 'path' | 'token' | 'endpoint'>;

/** How a seed is downloaded. */
export interface FetchHubOptions {
  /** The cache, private to the user; made if missing. */
  readonly cacheFolder: string;
  /** Where a token is looked up; the process's environment unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether to allow servers of this machine and its network; false unless given. */
  readonly allowPrivate?: boolean;
  /** The limit for all files together, cached ones included; 64 GiB unless given. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** The commit of an earlier download, used instead of the path's revision. */
  readonly commit?: string;
  /** The longest wait before the first retry, doubled with each; a second unless given. */
  readonly retryDelayMs?: number;
}

/** Cached files of a seed. */
export interface HubFiles {
  /** Absolute paths, in the order of the paths on the Hub. */
  readonly files: readonly string[];
  readonly format: TableFormat;
  /** The commit of the files. */
  readonly commit: string;
}

const MAX_BYTES = 64 * 2 ** 30;
const RETRY_DELAY_MS = 1000;
const AT_A_TIME = 4;
/** Never shown for sources that have passed `checkSeedSource`. */
const HOW = 'Write datasets/<user>/<name>/<file>; * matches any text.';

/** Downloads the files of a checked `hf` seed that the cache lacks; throws `hub/*`, `secret/missing` and `dataset/*`. */
export async function fetchHubFiles(source: HubSource, options: FetchHubOptions): Promise<HubFiles> {
  const { signal = new AbortController().signal } = options;
  try {
    refuseStopped({ signal, drain: signal });
    return await fetchAll(source, { ...options, signal });
  } catch (thrown) {
    refuseStopped({ signal, drain: signal });
    throw thrown;
  }
}

async function fetchAll(
  source: HubSource,
  options: FetchHubOptions & { readonly signal: AbortSignal },
): Promise<HubFiles> {
  const { cacheFolder, environment = process.env, maxBytes = MAX_BYTES, signal } = options;
  const { allowPrivate = false, retryDelayMs = RETRY_DELAY_MS } = options;
  const path = readHubPath(source.path);
  const [first] = path?.datasets ?? [];
  if (!path || !first) throw refused(source, 'it is not a path of a Hub file', HOW);
  const token = readHubToken(source.token, environment, first);
  const endpoint = endpointOf(source);
  const client = createHubClient({ endpoint, token, allowPrivate, signal, retryDelayMs });
  const resolved = await resolveCommit(client, { ...path, revision: options.commit ?? path.revision });
  const listed = await listHubFiles(client, resolved);
  const format = formatOf(source, listed);
  checkSize(source, listed, maxBytes);
  const files = await downloadAll(client, { resolved, listed }, cacheFolder);
  return { files, format, commit: resolved.commit };
}

function endpointOf(source: HubSource): URL {
  const url = URL.canParse(source.endpoint) ? new URL(source.endpoint) : undefined;
  // Do not quote the address: it may hold a password.
  if (!url || url.username !== '' || url.password !== '')
    throw refused(source, 'the endpoint is not a plain http(s) address', 'Correct the endpoint.');
  return url;
}

function formatOf(source: HubSource, listed: readonly HubFile[]): TableFormat {
  const byFormat = new Map(listed.map(({ path }) => [tableFormat(path), path]));
  const [[format, path] = [undefined, ''], other] = byFormat;
  const unknown = byFormat.get(undefined);
  if (unknown !== undefined || format === undefined) {
    const reason = `'${unknown ?? path}' is not a supported table file`;
    throw refused(source, reason, `Use files that end in ${TABLE_FORMATS.map((one) => `.${one}`).join(', ')}.`);
  }
  if (other === undefined) return format;
  const reason = `it matches files of several formats, such as '${path}' and '${other[1]}'`;
  throw refused(source, reason, `Match one format only, for example with *.${format} at the end.`);
}

function checkSize(source: HubSource, listed: readonly HubFile[], maxBytes: number): void {
  const bytes = listed.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= maxBytes) return;
  const reason = `its ${listed.length === 1 ? 'file has' : `${listed.length} files have`} ${bytes} bytes`;
  throw refused(source, `${reason}, but the limit is ${maxBytes}`, 'Use fewer or smaller files.');
}

function refused({ path }: HubSource, reason: string, remedy: string): DataDesignerError<'hub/refused'> {
  return new DataDesignerError('hub/refused', { path, reason, remedy });
}

/** The first failure stops the other downloads, and is thrown once they have removed their files. */
async function downloadAll(
  client: HubClient,
  { resolved, listed }: { readonly resolved: ResolvedPath; readonly listed: readonly HubFile[] },
  cacheFolder: string,
): Promise<readonly string[]> {
  const { endpoint } = client;
  const partial = join(cacheFolder, '.partial');
  const folders = { commit: commitFolder(cacheFolder, { endpoint, ...resolved }), partial };
  await removeAbandoned(partial);
  const stop = new AbortController();
  const stoppable = createHubClient({ ...client, signal: AbortSignal.any([client.signal, stop.signal]) });
  const paths: string[] = [];
  const waiting = listed.entries();
  const work = async (): Promise<void> => {
    for (const [at, file] of waiting) paths[at] = await downloadFile(stoppable, { resolved, file }, folders);
  };
  const failures: unknown[] = [];
  const fail = (thrown: unknown): void => {
    failures.push(thrown);
    stop.abort();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, () => work().catch(fail)));
  if (failures.length > 0) throw failures[0];
  return paths;
}
