import * as fs from 'node:fs';
import { link, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Replace, append, append to a file that must not exist, or write into an existing file. */
type OpenFlags = 'w' | 'a' | 'ax' | 'r+';

/**
 * All operations that change a dataset folder, in any thread. Files (0600) and folders (0700) are private to the user. The
 * journal uses the synchronous operations: it must be written before anything else happens.
 */
export interface Files {
  readonly open: (path: string, flags: OpenFlags) => Promise<number>;
  /** Writes the whole content at the end of the file. */
  readonly write: (file: number, content: string | Uint8Array) => Promise<void>;
  readonly sync: (file: number) => Promise<void>;
  readonly close: (file: number) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly link: (from: string, to: string) => Promise<void>;
  /** Removes a file if it exists. */
  readonly unlink: (path: string) => Promise<void>;
  /** Creates a folder, with its parents if `recursive`. */
  readonly mkdir: (path: string, options?: { readonly recursive?: boolean }) => Promise<void>;
  readonly rmdir: (path: string) => Promise<void>;
  /** Removes a folder and its content if it exists. */
  readonly removeTree: (path: string) => Promise<void>;
  /** Makes renames, new files and removals in a folder survive a power cut. */
  readonly syncFolder: (folder: string) => Promise<void>;

  readonly openSync: (path: string, flags: OpenFlags) => number;
  /** Writes as much as it can; returns the number of bytes. */
  readonly writeSync: (file: number, bytes: Uint8Array) => number;
  readonly truncateSync: (file: number, length: number) => void;
  readonly syncSync: (file: number) => void;
  readonly closeSync: (file: number) => void;
  readonly unlinkSync: (path: string) => void;
  readonly mkdirSync: (path: string) => void;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Windows cannot sync folders; it journals renames itself. */
const syncsFolders = process.platform !== 'win32';

const open = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const fsync = promisify(fs.fsync);
const close = promisify(fs.close);

/** The file system. */
export const fileSystem: Files = {
  open: (path, flags) => open(path, flags, FILE_MODE),
  write: (file, content) => writeFile(file, content),
  sync: fsync,
  close,
  rename,
  link,
  unlink: (path) => rm(path, { force: true }),
  mkdir: async (path, options = {}) => void (await mkdir(path, { ...options, mode: FOLDER_MODE })),
  rmdir,
  // Another machine of a cluster may just add a file: it sees then that the folder is gone.
  removeTree: (path) => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  async syncFolder(folder) {
    if (!syncsFolders) return;
    const handle = await open(folder, 'r');
    try {
      await fsync(handle);
    } finally {
      await close(handle);
    }
  },
  openSync: (path, flags) => fs.openSync(path, flags, FILE_MODE),
  writeSync: (file, bytes) => fs.writeSync(file, bytes),
  truncateSync: fs.ftruncateSync,
  syncSync: fs.fdatasyncSync,
  closeSync: fs.closeSync,
  unlinkSync: (path) => fs.rmSync(path, { force: true }),
  mkdirSync: (path) => fs.mkdirSync(path, { mode: FOLDER_MODE }),
};

let current = fileSystem;

/** The operations that this thread changes dataset folders with. */
export function files(): Files {
  return current;
}

/** Replaces the file system with other operations until disposed, in this thread only. */
export function replaceFiles(other: Files): Disposable {
  const before = current;
  current = other;
  return { [Symbol.dispose]: () => void (current = before) };
}
