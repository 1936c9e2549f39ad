import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FetchRefusal } from '@data-designer/config';
import { DataDesignerError, fileReason, isFailure, systemCode } from '@data-designer/core';
import { writeDurably } from '@data-designer/dataset';
import { PartialFile, removeAbandoned } from '../hub/partial-file.ts';
import { hasSum, sumLine, sumPath } from './collection-sum.ts';
import { collectionPath, inspectCollectionFile } from './inspect-collection.ts';

/** A collection to install. */
export interface WantedCollection {
  readonly collection: string;
  /** The folder of installed collections; made if missing. */
  readonly folder: string;
  /** The columns that it must have. */
  readonly needs: readonly string[];
}

/** Brings the bytes of a collection into a file. */
export type FillFile = (file: PartialFile) => Promise<void>;

/** The bytes of a collection, and what is known about them. */
export interface CollectionBytes {
  /** Names the source in messages. */
  readonly name: string;
  readonly fill: FillFile;
  /** The SHA-256 that the source gives. */
  readonly sha256: string | undefined;
}

/** An installed collection. */
export interface InstalledCollection {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether the source gave this checksum; else it was computed. */
  readonly isVerified: boolean;
  /** Whether the file was there already. */
  readonly isUnchanged: boolean;
}

const CHUNK_BYTES = 1_048_576;

/** The folder for incomplete files, below that of the collections. */
export function partialFolder(folder: string): string {
  return join(folder, '.partial');
}

/**
 * Installs a collection: checks the checksum if there is one, that the file can be read and has the needed columns, and
 * only then replaces the installed file. Throws `collection/not-installed` and `dataset/unwritable`.
 */
export async function installCollection(
  wanted: WantedCollection,
  source: CollectionBytes,
  signal: AbortSignal,
): Promise<InstalledCollection> {
  return refusing(wanted, async () => {
    const path = collectionPath(wanted.folder, wanted.collection);
    const { sha256, name } = source;
    if (sha256 !== undefined && (await hasSum(path, sha256, signal)))
      return { path, bytes: (await stat(path)).size, sha256, isVerified: true, isUnchanged: true };
    const folder = partialFolder(wanted.folder);
    await removeAbandoned(folder);
    await using file = new PartialFile(
      { folder, path },
      sha256 === undefined ? undefined : { kind: 'sha256', hex: sha256 },
    );
    await source.fill(file);
    if (!file.isIntact()) throw damaged(wanted, name);
    await refuseUnfit(wanted, { path: file.temporary, name });
    signal.throwIfAborted();
    // Without a record in between: the old checksum beside the new file would look like damage.
    await rm(sumPath(path), { force: true });
    await file.keep();
    await writeDurably(sumPath(path), sumLine(path, file.digest));
    return { path, bytes: file.bytes, sha256: file.digest, isVerified: sha256 !== undefined, isUnchanged: false };
  });
}

/** Checks that a file can be read and has the needed columns; throws `collection/not-installed`. */
export async function refuseUnfit(
  { collection, needs }: Pick<WantedCollection, 'collection' | 'needs'>,
  { path, name = path }: { readonly path: string; readonly name?: string },
): Promise<void> {
  const request = { table: collection, collection, filters: [], needs, columns: needs };
  const seen = await inspectCollectionFile(request, path, 1);
  if ('source' in seen) return;
  const reason = seen.finding.message.replaceAll(path, name).replace(/\.$/, '');
  throw new DataDesignerError('collection/not-installed', { collection, reason, remedy: 'Use another file.' });
}

/** Copies a file. */
export function copyOf(
  path: string,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): FillFile {
  return async (file) => {
    await file.restart();
    const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: CHUNK_BYTES, signal });
    for await (const chunk of chunks) {
      await file.append(chunk);
      onBytes(file.bytes);
    }
  };
}

function damaged({ collection }: WantedCollection, name: string): DataDesignerError<'collection/not-installed'> {
  const reason = `the SHA-256 of ${name} differs from the one in ${sumPath(name)}`;
  return new DataDesignerError('collection/not-installed', { collection, reason, remedy: 'Download the file again.' });
}

/** Runs `work`; turns a full disk, an unreadable source and a failed connection into `collection/not-installed`. */
export async function refusing<Result>(
  { collection, folder }: WantedCollection,
  work: () => Promise<Result>,
): Promise<Result> {
  const refused = (reason: string, remedy: string, cause: unknown): DataDesignerError =>
    new DataDesignerError('collection/not-installed', { collection, reason, remedy }, { cause });
  try {
    return await work();
  } catch (thrown) {
    if (isFailure(thrown, 'dataset/disk-full'))
      throw refused(`the disk is full at ${folder}`, 'Free some space and start again.', thrown);
    const code = systemCode(thrown);
    const isOfSource = thrown instanceof FetchRefusal || (code !== '' && code !== 'ABORT_ERR');
    if (thrown instanceof DataDesignerError || !isOfSource) throw thrown;
    throw refused(fileReason(thrown), 'Check the source and start again.', thrown);
  }
}
