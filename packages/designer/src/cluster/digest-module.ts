import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hashFile } from '@data-designer/dataset';

/** The most files that a digest covers. */
const MOST_FILES = 10_000;
/** So many bytes are read; files that are too large for the rest count with their sizes alone. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Where the name of a package begins in a path. */
const PACKAGES = `${sep}node_modules${sep}`;
const CODE = /\.[cm]?[jt]sx?$/;
/** The paths that a module imports, requires, or has as `new URL('./file', import.meta.url)`. A path in a comment does no harm. */
const PATHS =
  /\b(?:from|import|require|resolve|URL)\b[\s(]*(?:\/\*.*?\*\/\s*)?(['"`])((?:\.\.?\/|#|file:)[^'"`\n]+)\1/g;

/**
 * The digest of a module with the local files that it loads, or of its whole package; the same wherever they are. Paths that
 * a module computes are not followed, nor are other packages.
 */
export async function digestModule(file: string): Promise<string> {
  const entry = await realpath(file);
  const digest = new FilesDigest();
  const root = packageOf(entry);
  if (root === undefined) await addModules(digest, entry);
  else {
    digest.addText(relative(root, entry));
    for await (const path of filesIn(root)) await digest.add(relative(root, path), path);
  }
  return digest.value;
}

/** Digests files, each with a name that does not depend on the machine. */
class FilesDigest {
  readonly #hash: Hash = createHash('sha256');
  #files = 0;
  #bytes = 0;

  get isFull(): boolean {
    return this.#files >= MOST_FILES;
  }

  get value(): string {
    return this.#hash.digest('hex');
  }

  addText(text: string): void {
    this.#hash.update(JSON.stringify(text.split(sep).join('/')));
  }

  async add(name: string, path: string): Promise<void> {
    if (this.isFull) return;
    this.#files++;
    const { size } = await stat(path);
    const isRead = this.#bytes + size <= MOST_BYTES;
    if (isRead) this.#bytes += size;
    this.addText(name);
    this.addText(isRead ? (await hashFile(createHash('sha256'), path)).digest('hex') : `${size} bytes`);
  }
}

/** Adds a module, then those that it names, in their order. */
async function addModules(digest: FilesDigest, entry: string): Promise<void> {
  const seen = new Set([entry]);
  await digest.add('', entry);
  for (const path of seen) {
    if (digest.isFull) return;
    for (const named of CODE.test(path) ? await pathsIn(path) : []) {
      const found = await fileAt(named, path);
      if (found === undefined || seen.has(found) || packageOf(found) !== undefined) continue;
      seen.add(found);
      await digest.add(named, found);
    }
  }
}

async function pathsIn(module: string): Promise<readonly string[]> {
  return Array.from((await readFile(module, 'utf8')).matchAll(PATHS), ([, , path = '']) => path);
}

/** The file that a module means by a path; undefined if there is none. */
async function fileAt(path: string, module: string): Promise<string | undefined> {
  try {
    const address = path.startsWith('#') ? undefined : fileURLToPath(new URL(path, pathToFileURL(module)));
    const isFile = address !== undefined && existsSync(address) && (await stat(address)).isFile();
    // Modules of CommonJS leave out endings.
    return await realpath(isFile ? address : createRequire(module).resolve(path));
  } catch {
    return undefined;
  }
}

/** The folder of the installed package that a file belongs to; undefined for a file outside of `node_modules`. */
function packageOf(file: string): string | undefined {
  const from = file.lastIndexOf(PACKAGES);
  if (from === -1) return undefined;
  const [first = '', second = ''] = file.slice(from + PACKAGES.length).split(sep);
  return join(file.slice(0, from + PACKAGES.length), first, first.startsWith('@') ? second : '');
}

/** The files of a package in the order of their names; what each machine builds or adds for itself is not part of it. */
async function* filesIn(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const isBuiltHere = entries.some(({ name }) => name === 'binding.gyp');
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const { name } = entry;
    if (name === 'node_modules' || name.startsWith('.') || (isBuiltHere && name === 'build')) continue;
    if (entry.isDirectory()) yield* filesIn(join(folder, name));
    else if (entry.isFile()) yield join(folder, name);
  }
}
