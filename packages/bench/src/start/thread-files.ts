import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runBuilt } from './run-built.ts';

/** What a thread of a command has loaded and used when it ended. */
export interface ThreadNote {
  /** `main`, `io-thread`, or `worker`. */
  readonly thread: string;
  /** Paths of the files it has loaded, of the package and of libraries. */
  readonly files: readonly string[];
  /** The modules in these files, as the bundler names them: `packages/core/src/errors.ts`. */
  readonly modules: readonly string[];
  /** The sizes of these files, in bytes. */
  readonly bytes: number;
  readonly heapMb: number;
  readonly cpuMs: number;
}

/** Runs a command of the built program and gives what each of its threads loaded. */
export async function threadFiles(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly ThreadNote[]> {
  const folder = mkdtempSync(join(tmpdir(), 'start-notes-'));
  try {
    const preload = new URL('note-thread.ts', import.meta.url);
    await runBuilt(args, { environment: { ...environment, START_NOTES: folder }, preload });
    return readdirSync(folder).map((name) => {
      const note: Omit<ThreadNote, 'bytes' | 'modules'> = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      const files = note.files.map((url) => fileURLToPath(url)).filter((path) => !path.includes('/bench/src/'));
      const modules = files.flatMap((path) => modulesIn(path));
      return { ...note, files, modules, bytes: files.reduce((sum, path) => sum + statSync(path).size, 0) };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function modulesIn(path: string): string[] {
  if (path.endsWith('.node')) return [];
  const marks = readFileSync(path, 'utf8').matchAll(/^\/\/(?:#region)? ?((?:packages|node_modules)\/\S+)$/gm);
  return [...marks].map(([, module]) => module ?? '');
}
