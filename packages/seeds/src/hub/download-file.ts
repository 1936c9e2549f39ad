import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { pathOf, shownUrl, type WantedHubPart } from './hub-answer.ts';
import { type HubClient, hubUrl } from './hub-client.ts';
import type { HubFile } from './list-hub-files.ts';
import { PartialFile } from './partial-file.ts';
import type { ResolvedPath } from './resolve-commit.ts';
import { tryAgain } from './try-again.ts';

/** The folders of downloads. */
export interface DownloadFolders {
  /** For the files of one commit. */
  readonly commit: string;
  /** For incomplete files; on the same file system. */
  readonly partial: string;
}

interface Download {
  readonly url: URL;
  readonly wanted: WantedHubPart;
  readonly file: HubFile;
}

/** The path of a cached or downloaded file; resumes after broken connections, and checks size and checksum. */
export async function downloadFile(
  client: HubClient,
  { resolved, file }: { readonly resolved: ResolvedPath; readonly file: HubFile },
  folders: DownloadFolders,
): Promise<string> {
  const path = join(folders.commit, ...file.path.split('/'));
  if (await isThere(path, file.bytes)) return path;
  const { dataset, revision, commit } = resolved;
  const names = ['datasets', ...dataset.split('/'), 'resolve', commit, ...file.path.split('/')];
  const url = hubUrl(client.endpoint, names);
  const wanted: WantedHubPart = { endpoint: client.endpoint, dataset, revision, part: 'file', name: file.path };
  await using partial = new PartialFile({ folder: folders.partial, path }, file.checksum);
  await partial.restart();
  const { signal, retryDelayMs } = client;
  const trying = { signal, retryDelayMs, path: pathOf(wanted), address: shownUrl(url) };
  await tryAgain(() => fetchRest(client, { url, wanted, file }, partial), trying);
  await partial.keep();
  return path;
}

async function isThere(path: string, bytes: number): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.size === bytes;
}

async function fetchRest(client: HubClient, { url, wanted, file }: Download, partial: PartialFile): Promise<void> {
  if (partial.bytes === 0 || partial.bytes < file.bytes) await fetchBytes(client, { url, wanted, file }, partial);
  if (partial.bytes < file.bytes) throw damaged(file, `it ended after ${partial.bytes} of ${file.bytes} bytes`);
  if (partial.isIntact()) return;
  await partial.restart();
  throw damaged(file, 'its checksum differs from the one on the Hub');
}

async function fetchBytes(client: HubClient, { url, wanted, file }: Download, partial: PartialFile): Promise<void> {
  const response = await client.file(url, wanted, partial.bytes);
  try {
    const { 'content-encoding': encoding = 'identity', 'content-range': range } = response.headers;
    if (encoding !== 'identity')
      throw damaged(file, `the server sent the content encoding '${encoding}', which is not supported`);
    const isRest = response.statusCode === 206;
    if (!isRest && partial.bytes > 0) await partial.restart();
    if (isRest && !continues(range, partial.bytes, file.bytes)) {
      await partial.restart();
      throw damaged(file, 'the server sent another part of the file than requested');
    }
    const chunks: AsyncIterable<Uint8Array> = response;
    for await (const chunk of chunks) {
      if (partial.bytes + chunk.length <= file.bytes) await partial.append(chunk);
      else {
        await partial.restart();
        throw damaged(file, `the server sent more than its ${file.bytes} bytes`);
      }
    }
  } finally {
    response.destroy();
  }
}

/** Whether a `Content-Range` is the rest of a file from a byte on (RFC 9110, 14.4). */
function continues(range: string | undefined, from: number, bytes: number): boolean {
  const [, start, end, all] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(range ?? '') ?? [];
  return Number(start) === from && Number(end) === bytes - 1 && (all === '*' || Number(all) === bytes);
}

function damaged(file: HubFile, reason: string): DataDesignerError<'hub/damaged'> {
  return new DataDesignerError('hub/damaged', { file: file.path, reason });
}
