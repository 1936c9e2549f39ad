import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileOperation } from '../../dataset/test/recorded-files.ts';

/** A file, whatever its names: what stands in it, and how much of that is on disk. */
interface Content {
  bytes: Buffer;
  synced: Buffer;
  beginning: Buffer;
}

/** What a name stands for. */
type Entry = Content | 'folder';

/**
 * How a machine ends. `killed`: the process alone, so that all it did is there, and half of what it did last. `power-cut`:
 * nothing is there that was not synced, names included. `torn`: the names are there, with half of what was not synced.
 */
export type Crash = 'killed' | 'power-cut' | 'torn';

export const CRASHES: readonly Crash[] = ['killed', 'power-cut', 'torn'];

/** The state of a folder after operations on it, as a process sees it, and as a crash leaves it. */
export class CrashedDisk {
  readonly #names = new Map<string, Entry>();
  #syncedNames = new Map<string, Entry>();
  readonly #beginning = new Map<string, ReadonlyMap<string, Entry>>();
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
        return this.#makeFolder(operation.path);
      case 'unlink':
      case 'rmdir':
        return void this.#names.delete(operation.path);
      case 'remove-tree':
        return this.#removeTree(operation.path);
      case 'begin-sync-folder':
        return void this.#beginning.set(operation.path, this.#within(operation.path, this.#names));
      case 'sync-folder':
        return this.#syncFolder(operation.path);
    }
  }

  /** Writes into an empty folder what a crash leaves; `last` is what was being done, of which half may be there. */
  leave(folder: string, crash: Crash, last: FileOperation | undefined): void {
    const begun = last?.kind === 'write' ? { content: this.#at(last.file), bytes: half(last.bytes) } : undefined;
    const names = crash === 'power-cut' ? this.#syncedNames : this.#names;
    for (const path of [...names.keys()].toSorted()) {
      const entry = names.get(path);
      if (!entry || !isReachable(path, names)) continue;
      if (entry === 'folder') {
        mkdirSync(join(folder, path));
        continue;
      }
      const left = [bytesLeft(entry, crash)];
      if (crash === 'killed' && begun?.content === entry) left.push(begun.bytes);
      writeFileSync(join(folder, path), Buffer.concat(left));
    }
  }

  /** What stands in a file, or what of it is on disk under its name; undefined where the name is not there. */
  bytesOf(path: string, { isSynced }: { readonly isSynced: boolean }): Buffer | undefined {
    const names = isSynced ? this.#syncedNames : this.#names;
    const entry = names.get(path);
    if (!entry || entry === 'folder' || !isReachable(path, names)) return undefined;
    return isSynced ? entry.synced : entry.bytes;
  }

  #openFile({ path, file, flags }: FileOperation & { readonly kind: 'open' }): void {
    const known = this.#names.get(path);
    const content = known && known !== 'folder' ? known : emptyContent();
    if (flags === 'w') content.bytes = Buffer.alloc(0);
    this.#names.set(path, content);
    this.#open.set(file, content);
  }

  #write(file: number, bytes: Buffer): void {
    const content = this.#at(file);
    content.bytes = Buffer.concat([content.bytes, bytes]);
  }

  #rename({ kind, from, to }: { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string }): void {
    for (const [path, entry] of this.#names) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#names.set(to + path.slice(from.length), entry);
      if (kind === 'rename') this.#names.delete(path);
    }
  }

  #makeFolder(path: string): void {
    if (this.#names.has(path) || path === '.' || path === '') return;
    this.#makeFolder(dirname(path));
    this.#names.set(path, 'folder');
  }

  #removeTree(path: string): void {
    for (const name of this.#names.keys()) if (name === path || name.startsWith(`${path}/`)) this.#names.delete(name);
  }

  #syncFolder(path: string): void {
    const now = this.#beginning.get(path) ?? new Map<string, Entry>();
    const others = [...this.#syncedNames].filter(([name]) => dirname(name) !== (path || '.'));
    this.#syncedNames = new Map([...others, ...now]);
  }

  #within(folder: string, names: ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> {
    return new Map([...names].filter(([name]) => dirname(name) === (folder || '.')));
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

function isReachable(path: string, names: ReadonlyMap<string, Entry>): boolean {
  const parent = dirname(path);
  return parent === '.' || (names.get(parent) === 'folder' && isReachable(parent, names));
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
