import { relative } from 'node:path';
import { type Files, fileSystem, replaceFiles } from '../src/files/files.ts';

/** One operation on a folder; paths are relative to it, and open files have numbers. */
export type FileOperation =
  | { readonly kind: 'open'; readonly path: string; readonly file: number; readonly flags: string }
  | { readonly kind: 'write'; readonly file: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly length: number }
  /** A finished sync has stored everything written before it began. */
  | { readonly kind: 'begin-sync' | 'sync' | 'close'; readonly file: number }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly kind: FolderChange; readonly path: string };

type FolderChange = 'unlink' | 'mkdir' | 'rmdir' | 'remove-tree' | 'begin-sync-folder' | 'sync-folder';

/** Records the file operations of this thread while in use, in the order in which they end, without delaying them. */
export class RecordedFiles implements Disposable {
  readonly operations: FileOperation[] = [];
  readonly #folder: string;
  /** Numbers of open files by file descriptor; descriptors are reused. */
  readonly #open = new Map<number, number>();
  #opened = 0;
  readonly #replaced: Disposable;

  constructor(folder: string) {
    this.#folder = folder;
    this.#replaced = replaceFiles(this.#recording());
  }

  [Symbol.dispose](): void {
    this.#replaced[Symbol.dispose]();
  }

  /** The operations as text. */
  get lines(): readonly string[] {
    return linesOf(this.operations);
  }

  #at(path: string): string {
    return relative(this.#folder, path);
  }

  #opens(path: string, flags: string, handle: number): number {
    const file = this.#opened++;
    this.#open.set(handle, file);
    this.operations.push({ kind: 'open', path: this.#at(path), file, flags });
    return handle;
  }

  #note(operation: FileOperation): void {
    this.operations.push(operation);
  }

  #fileOf(handle: number): number {
    return this.#open.get(handle) ?? -1;
  }

  #writes(handle: number, content: string | Uint8Array): void {
    this.#note({ kind: 'write', file: this.#fileOf(handle), bytes: Buffer.from(content) });
  }

  #recording(): Files {
    const on = (kind: FolderChange, path: string) => this.#note({ kind, path: this.#at(path) });
    const from = (kind: 'rename' | 'link', one: string, other: string) =>
      this.#note({ kind, from: this.#at(one), to: this.#at(other) });
    const file = (kind: 'begin-sync' | 'sync' | 'close', handle: number) =>
      this.#note({ kind, file: this.#fileOf(handle) });
    const real = fileSystem;
    return {
      open: async (path, flags) => this.#opens(path, flags, await real.open(path, flags)),
      write: async (handle, content) => (await real.write(handle, content), this.#writes(handle, content)),
      async sync(handle) {
        file('begin-sync', handle);
        await real.sync(handle);
        file('sync', handle);
      },
      // Noted first: the descriptor may be reused at once.
      close: (handle) => (file('close', handle), real.close(handle)),
      rename: async (one, other) => (await real.rename(one, other), from('rename', one, other)),
      link: async (one, other) => (await real.link(one, other), from('link', one, other)),
      unlink: async (path) => (await real.unlink(path), on('unlink', path)),
      mkdir: async (path, options) => (await real.mkdir(path, options), on('mkdir', path)),
      rmdir: async (path) => (await real.rmdir(path), on('rmdir', path)),
      removeTree: async (path) => (await real.removeTree(path), on('remove-tree', path)),
      async syncFolder(path) {
        on('begin-sync-folder', path);
        await real.syncFolder(path);
        on('sync-folder', path);
      },
      openSync: (path, flags) => this.#opens(path, flags, real.openSync(path, flags)),
      writeSync: (handle, bytes) => {
        const written = real.writeSync(handle, bytes);
        this.#writes(handle, bytes.subarray(0, written));
        return written;
      },
      truncateSync: (handle, length) => {
        real.truncateSync(handle, length);
        this.#note({ kind: 'truncate', file: this.#fileOf(handle), length });
      },
      syncSync(handle) {
        file('begin-sync', handle);
        real.syncSync(handle);
        file('sync', handle);
      },
      closeSync: (handle) => (file('close', handle), real.closeSync(handle)),
      unlinkSync: (path) => (real.unlinkSync(path), on('unlink', path)),
      mkdirSync: (path) => (real.mkdirSync(path), on('mkdir', path)),
    };
  }
}

/** Operations as text, such as `rename tmp/a -> a`, to compare their order. */
export function linesOf(operations: readonly FileOperation[]): readonly string[] {
  const paths = new Map<number, string>();
  const told = operations.filter(({ kind }) => !kind.startsWith('begin-'));
  return told.map((operation) => {
    if (operation.kind === 'open') paths.set(operation.file, operation.path);
    if ('file' in operation) return `${operation.kind} ${paths.get(operation.file)}`;
    if ('from' in operation) return `${operation.kind} ${operation.from} -> ${operation.to}`;
    return `${operation.kind} ${operation.path}`;
  });
}
