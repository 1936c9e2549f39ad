import { type Dirent, existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { shellPattern } from '../name-pattern.ts';

/** The files of a folder that make seed rows. */
export interface SeedFolder {
  /** The absolute path of the folder. */
  readonly root: string;
  /** What file names match: `* ? [..] [!..]`. */
  readonly pattern: string;
  /** Whether files in folders below make rows too. */
  readonly recursive: boolean;
  /** Whether a file that matches the pattern makes a row; the path is relative to the root, with `/`. */
  readonly takes: (relativePath: string) => boolean;
}

/** A file or folder that the rows leave out, with the reason in words. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** The files of a folder, and what was left out of them. */
export interface SeedFiles {
  /** Paths relative to the folder, with `/`, in their order as text. */
  readonly files: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

interface Walk extends SeedFolder {
  readonly realRoot: string;
  readonly matches: (name: string) => boolean;
  readonly files: string[];
  readonly leftOut: LeftOut[];
}

/**
 * The files of a folder that match, hidden ones too. A symbolic link to a file counts if the file lies in the
 * folder; links that lead out of it are left out, and links to folders are not followed. Throws if the folder itself
 * cannot be read.
 */
export function listSeedFiles(folder: SeedFolder): SeedFiles {
  const walk: Walk = {
    ...folder,
    realRoot: realpathSync(folder.root),
    matches: shellPattern(folder.pattern),
    files: [],
    leftOut: [],
  };
  const below = takeAll(walk, '', readdirSync(folder.root, { withFileTypes: true }));
  for (let inner = below.pop(); folder.recursive && inner !== undefined; inner = below.pop()) {
    for (const deeper of takeAll(walk, inner, entriesOf(walk, inner))) below.push(deeper);
  }
  return { files: walk.files.toSorted(inOrder), leftOut: walk.leftOut };
}

/** How many files a folder's rows leave out, with the first as an example; undefined if none. */
export function sayLeftOut(leftOut: readonly LeftOut[]): string | undefined {
  const [first] = leftOut;
  if (!first) return undefined;
  const count = leftOut.length === 1 ? 'One is' : `${leftOut.length} are`;
  return `${count} left out, as '${first.path}': ${first.reason}.`;
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function entriesOf({ root, leftOut }: Walk, path: string): Dirent[] {
  try {
    return readdirSync(join(root, path), { withFileTypes: true });
  } catch {
    leftOut.push({ path, reason: 'it cannot be read' });
    return [];
  }
}

/** Adds the matching files of one folder, and returns its folders. */
function takeAll(walk: Walk, path: string, entries: readonly Dirent[]): string[] {
  const folders: string[] = [];
  for (const entry of entries) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`;
    const wanted = walk.matches(entry.name) && walk.takes(inner);
    if (entry.isDirectory()) folders.push(inner);
    else if (entry.isSymbolicLink()) takeLink(walk, inner, { wanted });
    else if (wanted && entry.isFile()) takeFile(walk, inner);
  }
  return folders;
}

function takeFile({ root, files, leftOut }: Walk, path: string): void {
  if (!path.includes('\uFFFD') || existsSync(join(root, path))) files.push(path);
  else leftOut.push({ path, reason: 'its name is no valid text' });
}

function takeLink({ root, realRoot, recursive, files, leftOut }: Walk, path: string, { wanted }: { wanted: boolean }) {
  const target = targetOf(join(root, path));
  if (!target) {
    if (wanted) leftOut.push({ path, reason: 'it leads nowhere' });
    return;
  }
  const isFolder = target.stats.isDirectory();
  if (isFolder ? !recursive : !wanted || !target.stats.isFile()) return;
  if (!isInside(realRoot, target.path)) leftOut.push({ path, reason: 'it leads out of the folder' });
  else if (!isFolder) files.push(path);
}

function targetOf(link: string): { path: string; stats: Stats } | undefined {
  try {
    const path = realpathSync(link);
    return { path, stats: statSync(path) };
  } catch {
    return undefined;
  }
}

function isInside(root: string, path: string): boolean {
  const steps = relative(root, path);
  return steps !== '..' && !steps.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(steps);
}
