import * as fs from 'node:fs';
import { link, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Anew, at the end, at the end of a file that must be new, or a file that is there. */
type OpenFlags = 'w' | 'a' | 'ax' | 'r+';

/**
 * Every operation that changes a dataset folder, in whichever thread. Files are private to the user (0600), and so are
 * folders (0700). What ends in `Sync` is for the journal, which must be written before anything else happens.
 */
export interface Files {
  readonly open: (path: string, flags: OpenFlags) => Promise<number>;
  /** Writes all of it where the file stands, which is its end. */
  readonly write: (file: number, content: string | Uint8Array) => Promise<void>;
  readonly sync: (file: number) => Promise<void>;
  readonly close: (file: number) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly link: (from: string, to: string) => Promise<void>;
  /** Removes a file; nothing where it is gone. */
  readonly unlink: (path: string) => Promise<void>;
  /** Makes a folder, with its parents where it is `recursive`. */
  readonly mkdir: (path: string, options?: { readonly recursive?: boolean }) => Promise<void>;
  readonly rmdir: (path: string) => Promise<void>;
  /** Removes a folder with all that is in it; nothing where it is gone. */
  readonly removeTree: (path: string) => Promise<void>;
  /** Makes renames, new files and removals in a folder survive a power cut. */
  readonly syncFolder: (folder: string) => Promise<void>;

  readonly openSync: (path: string, flags: OpenFlags) => number;
  /** Writes what it can, and gives how much that was. */
  readonly writeSync: (file: number, bytes: Uint8Array) => number;
  readonly truncateSync: (file: number, length: number) => void;
  readonly syncSync: (file: number) => void;
  readonly closeSync: (file: number) => void;
  readonly unlinkSync: (path: string) => void;
  readonly mkdirSync: (path: string) => void;
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Windows has no handles on folders to sync; its renames are journalled. */
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
  removeTree: (path) => rm(path, { recursive: true, force: true }),
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

/** What this thread changes dataset folders through. */
export function files(): Files {
  return current;
}

/** Puts other files in the place of the file system until disposed, in this thread alone. */
export function replaceFiles(other: Files): Disposable {
  const before = current;
  current = other;
  return { [Symbol.dispose]: () => void (current = before) };
}
