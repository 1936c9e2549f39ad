import { join } from 'node:path';
import type { ChunkingContext } from 'rolldown';

const PACKAGES = join(import.meta.dirname, '../..');

/**
 * What the frequent commands load, by step and thread. Modules that the same steps load make up one chunk, or two with
 * those of libraries: a thread takes 0.2 ms of CPU for each file. The bundler divides the other modules itself.
 */
const STEPS = {
  start: ['cli/src/guard-output.ts', 'cli/src/command-line.ts'],
  help: ['cli/src/all-commands.ts'],
  check: ['designer/src/data-designer.ts', 'cli/src/flags/read-common-flags.ts'],
  run: [
    'cli/src/create-command.ts',
    'cli/src/preview-command.ts',
    'cli/src/warm-start.ts',
    'cli/src/progress/show-run.ts',
    'cli/src/progress/plain-lines-sink.ts',
  ],
  worker: [
    'engine/src/row-group/row-group-maker.ts',
    'engine/src/row-group/make-rows.ts',
    'dataset/src/write.ts',
    'models/src/protocols/openai/openai-requests.ts',
  ],
  reader: ['seeds/src/reader.ts'],
  encode: ['dataset/src/encode/encode-batch.ts', 'dataset/src/encode/arrow-schema.ts'],
  write: ['dataset/src/formats/parquet/write-parquet.ts'],
  io: ['gateway/src/thread/io-thread.ts'],
} as const;

/** Serves a thread as soon as it is loaded, so nothing that another thread imports may be in a chunk with it. */
const IO_THREAD = join(PACKAGES, 'gateway/src/thread/io-thread.ts');

/** Of this library each step needs a few modules, but its index imports all. */
const UNDIVIDED = /\/node_modules\/hyparquet\//;

/** The modules in these files; throws if one has another name by now. */
function idsOf(files: readonly string[], modules: ChunkingContext): string[] {
  const ids = files.map((path) => join(PACKAGES, path));
  const missing = ids.find((id) => !modules.getModuleInfo(id));
  if (missing !== undefined) throw new Error(`the bundle has no module ${missing}`);
  return ids;
}

/** The modules that importing some modules loads. */
function loadedBy(ids: readonly string[], modules: ChunkingContext): ReadonlySet<string> {
  const loaded = new Set<string>();
  const left = [...ids];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (loaded.has(id)) continue;
    loaded.add(id);
    left.push(...(modules.getModuleInfo(id)?.importedIds ?? []));
  }
  return loaded;
}

/** The modules that `await import` loads anywhere. */
function importedLater(entries: readonly string[], modules: ChunkingContext): ReadonlySet<string> {
  const later = new Set<string>();
  const left = [...entries];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    for (const loaded of loadedBy([id], modules)) {
      const found = modules.getModuleInfo(loaded)?.dynamicallyImportedIds ?? [];
      left.push(...found.filter((one) => !later.has(one)));
      for (const one of found) later.add(one);
    }
  }
  return later;
}

/** What each step loads, and what is loaded otherwise. */
interface Loads {
  readonly steps: readonly { readonly step: string; readonly loaded: ReadonlySet<string> }[];
  readonly others: ReadonlySet<string>;
}

function loadsOf(entries: readonly string[], modules: ChunkingContext): Loads {
  const steps = Object.entries(STEPS).map(([step, files]) => ({
    step,
    loaded: loadedBy(idsOf(files, modules), modules),
  }));
  const isOfStep = (id: string): boolean => steps.some(({ loaded }) => loaded.has(id));
  const others = [...entries, ...importedLater(entries, modules)].filter((id) => !isOfStep(id));
  return { steps, others: loadedBy(others, modules) };
}

/** Names the chunk of each module of a bundle with these entries. */
export function threadChunks(entries: readonly string[]): (id: string, modules: ChunkingContext) => string | null {
  let loads: Loads | undefined;
  /**
   * The steps that load the module, and whether anything else loads a module of one step. What a module imports is loaded by
   * the same steps, or more, so that no two chunks import each other.
   */
  return (id, modules) => {
    if (id === IO_THREAD || UNDIVIDED.test(id)) return null;
    const { steps, others } = (loads ??= loadsOf(entries, modules));
    const names = steps.filter(({ loaded }) => loaded.has(id)).map(({ step }) => step);
    if (names.length === 0) return null;
    if (names.length === 1 && others.has(id)) names.push('others');
    if (id.includes('/node_modules/')) names.push('libraries');
    return names.join('-');
  };
}
