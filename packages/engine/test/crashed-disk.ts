import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FileOperation } from '../../dataset/test/recorded-files.ts';

/** A file, whatever its names: what stands in it, and how much of that is on disk. */
interface Content {
  bytes: Buffer;
  synced: Buffer;
  beginning: Buffer;
}

/** A folder, whatever its names: what stands in it, and what of that is on disk. */
class Folder {
  names = new Map<string, Entry>();
  synced: ReadonlyMap<string, Entry> = new Map();
  beginning: ReadonlyMap<string, Entry> = new Map();
}

/** What a name stands for. */
type Entry = Content | Folder;

/**
 * How a machine ends. `killed`: the process alone, so that all it did is there, and half of what it did last. `power-cut`:
 * nothing is there that was not synced, names included. `torn`: the names are there, with half of what was not synced.
 */
export type Crash = 'killed' | 'power-cut' | 'torn';

export const CRASHES: readonly Crash[] = ['killed', 'power-cut', 'torn'];

/** The state of a folder after operations on it, as a process sees it, and as a crash leaves it. */
export class CrashedDisk {
  readonly #root = new Folder();
  readonly #open = new Map<number, Content>();

  /** Does what was recorded. */
  apply(operation: FileOperation): void {
    switch (operation.kind) {
      case 'open':
        return this.#openFile(operation);
      case 'write':
        return this.#write(operation.file, operation.bytes);
      case 'truncate': {
        const content = this.#at(operation.file);
        content.bytes = content.bytes.subarray(0, operation.length);
        return;
      }
      case 'begin-sync':
        this.#at(operation.file).beginning = this.#at(operation.file).bytes;
        return;
      case 'sync':
        this.#at(operation.file).synced = this.#at(operation.file).beginning;
        return;
      case 'close':
        return void this.#open.delete(operation.file);
      case 'rename':
      case 'link':
        return this.#rename(operation);
      case 'mkdir':
        return void this.#folder(operation.path);
      case 'unlink':
      case 'rmdir':
      case 'remove-tree':
        return void this.#known(dirname(operation.path))?.names.delete(basename(operation.path));
      case 'begin-sync-folder': {
        const folder = this.#folder(operation.path);
        folder.beginning = new Map(folder.names);
        return;
      }
      case 'sync-folder': {
        const folder = this.#folder(operation.path);
        folder.synced = folder.beginning;
      }
    }
  }

  /** Writes into an empty folder what a crash leaves; `last` is what was being done, of which half may be there. */
  leave(folder: string, crash: Crash, last: FileOperation | undefined): void {
    const begun = last?.kind === 'write' ? { content: this.#at(last.file), bytes: half(last.bytes) } : undefined;
    const write = (path: string, { names, synced }: Folder): void => {
      for (const [name, entry] of crash === 'power-cut' ? synced : names) {
        const target = join(path, name);
        if (entry instanceof Folder) {
          mkdirSync(target);
          write(target, entry);
          continue;
        }
        const left = [bytesLeft(entry, crash)];
        if (crash === 'killed' && begun?.content === entry) left.push(begun.bytes);
        writeFileSync(target, Buffer.concat(left));
      }
    };
    write(folder, this.#root);
  }

  /** What stands in a file, or what of it is on disk under its name; undefined where the name is not there. */
  bytesOf(path: string, { isSynced }: { readonly isSynced: boolean }): Buffer | undefined {
    let entry: Entry | undefined = this.#root;
    for (const name of path.split('/')) {
      if (!(entry instanceof Folder)) return undefined;
      entry = (isSynced ? entry.synced : entry.names).get(name);
    }
    if (!entry || entry instanceof Folder) return undefined;
    return isSynced ? entry.synced : entry.bytes;
  }

  #openFile({ path, file, flags }: FileOperation & { readonly kind: 'open' }): void {
    const { names } = this.#folder(dirname(path));
    const known = names.get(basename(path));
    const content = known && !(known instanceof Folder) ? known : emptyContent();
    if (flags === 'w') content.bytes = Buffer.alloc(0);
    names.set(basename(path), content);
    this.#open.set(file, content);
  }

  #write(file: number, bytes: Buffer): void {
    const content = this.#at(file);
    content.bytes = Buffer.concat([content.bytes, bytes]);
  }

  #rename({ kind, from, to }: { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string }): void {
    const { names } = this.#folder(dirname(from));
    const entry = names.get(basename(from));
    if (!entry) return;
    this.#folder(dirname(to)).names.set(basename(to), entry);
    if (kind === 'rename') names.delete(basename(from));
  }

  /** The folder of a path, if there is one. */
  #known(path: string): Folder | undefined {
    if (path === '.' || path === '') return this.#root;
    const known = this.#known(dirname(path))?.names.get(basename(path));
    return known instanceof Folder ? known : undefined;
  }

  /** The folder of a path, made where it is missing. */
  #folder(path: string): Folder {
    if (path === '.' || path === '') return this.#root;
    const { names } = this.#folder(dirname(path));
    const known = this.#known(path);
    if (known) return known;
    const made = new Folder();
    names.set(basename(path), made);
    return made;
  }

  #at(file: number): Content {
    const content = this.#open.get(file);
    if (!content) throw new Error(`File ${file} is not open.`);
    return content;
  }
}

function emptyContent(): Content {
  return { bytes: Buffer.alloc(0), synced: Buffer.alloc(0), beginning: Buffer.alloc(0) };
}

function bytesLeft({ bytes, synced }: Content, crash: Crash): Buffer {
  if (crash === 'killed') return bytes;
  if (crash === 'power-cut') return synced;
  // What was added since the last sync is there by half; a file that was begun anew has nothing that can be relied on.
  return bytes.subarray(0, synced.length + Math.floor((bytes.length - synced.length) / 2));
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
