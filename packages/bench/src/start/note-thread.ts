import { writeFileSync } from 'node:fs';
import nodeModule from 'node:module';
import { basename, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import threads from 'node:worker_threads';

// Loaded ahead of a command and of each thread it starts: notes which files of the package and of libraries the thread
// has loaded, its heap and its CPU, in `START_NOTES/<thread>.json`.

/** How often a thread notes: its end cannot be noted, as it is terminated. */
const NOTE_MS = 10;

const self = new URL(import.meta.url);
const thread = self.searchParams.get('thread') ?? 'main';
const folder = self.searchParams.get('folder') ?? process.env.START_NOTES ?? '.';
const files = new Set<string>();

nodeModule.registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) files.add(url);
    return nextLoad(url, context);
  },
});

function note(): void {
  const { user, system } = process.threadCpuUsage();
  const heapMb = getHeapStatistics().used_heap_size / 1024 / 1024;
  writeFileSync(
    join(folder, `${thread}.json`),
    JSON.stringify({ thread, files: [...files], heapMb, cpuMs: (user + system) / 1000 }),
  );
}

setInterval(note, NOTE_MS).unref();
process.on('exit', note);

/** The name of a thread by its entry: `io-thread`, or `worker` for the file that piscina starts. */
function threadName(entry: string): string {
  return basename(entry).replace(/\.\w+$/, '');
}

if (threads.isMainThread) {
  threads.Worker = class extends threads.Worker {
    constructor(entry: string | URL, options: threads.WorkerOptions = {}) {
      const preload = new URL(self);
      preload.searchParams.set('thread', threadName(String(entry)));
      preload.searchParams.set('folder', folder);
      super(entry, { ...options, execArgv: [...(options.execArgv ?? []), '--import', preload.href] });
    }
  };
  nodeModule.syncBuiltinESMExports();
}
