import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Example, rounded } from './example.ts';

const SCRIPT = join(import.meta.dirname, 'readers.py');

/** The files of an export. */
interface Job {
  readonly format: string;
  readonly files: readonly { readonly path: string; readonly split: string }[];
  /** Whether the files are all of their folder, which loaders open as a whole. */
  readonly isFolder: boolean;
}

type Answer =
  | { readonly failure: string }
  /** The examples by the split that the reader has them in. */
  | { readonly reader: string; readonly parts: Readonly<Record<string, readonly Example[]>> };

/** A program of Python with the readers of all formats. */
export interface Readers extends AsyncDisposable {
  readonly read: (job: Job) => Promise<Answer>;
}

/** Starts the program; `cache` is the folder of the library datasets. */
export async function openReaders(python: string, cache: string): Promise<Readers> {
  const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_DATASETS_CACHE: cache, TOKENIZERS_PARALLELISM: 'false' };
  const child = spawn(python, [SCRIPT], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said = `${said}${bytes.toString()}`.slice(-2000)));
  child.once('error', (failure) => (said = failure.message));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    read: async (job) => {
      child.stdin.write(`${JSON.stringify(job)}\n`);
      for (;;) {
        const { value = '', done } = await lines.next();
        if (done) return { failure: said.slice(-600) };
        if (value.startsWith('RESULT ')) return JSON.parse(value.slice('RESULT '.length), rounded) as Answer;
      }
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
