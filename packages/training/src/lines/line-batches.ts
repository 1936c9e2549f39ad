import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import {
  compileCacheEnvironment,
  DataDesignerError,
  sourceExecArgv,
  systemCode,
  threadEntry,
} from '@data-designer/core';
import { DatasetRows } from '@data-designer/dataset';
import type { ExampleLines, LineBatch, LinesRequest, RowRange } from './example-lines.ts';
import type { work } from './lines-thread.ts';

const require = createRequire(import.meta.url);

/** Datasets of fewer rows are read before threads have started. */
const THREADS_FROM_ROWS = 20_000;
const MOST_THREADS = 4;
/** A thread is given files until they have so many rows or bytes: each task lists the files anew. */
const TASK_ROWS = 2_000;
const TASK_BYTES = 2_000_000;
/** The lines of a task lie in memory: those of a larger file are made piece by piece in this thread. */
const MOST_TASK_BYTES = 16_000_000;
/** Memory that is not collected earlier: see `engine/executor/pool-thread.ts`. */
const YOUNG_GENERATION_MB = 16;
/** A thread that needs more ends, and this one makes the lines of its task. */
const OLD_GENERATION_MB = 64;

interface Task extends RowRange {
  readonly bytes: number;
}

/** The lines of all rows, in their order; threads make them where the dataset is large and has several files. */
export async function* lineBatches(lines: ExampleLines, request: LinesRequest): AsyncGenerator<LineBatch> {
  const tasks = await tasksOf(request.source.folder);
  const threads = Math.min(availableParallelism(), MOST_THREADS, tasks.length);
  const last = tasks.at(-1);
  const rows = last ? last.start + last.count : 0;
  if (threads < 2 || rows < THREADS_FROM_ROWS) return yield* lines.batches({ start: 0, count: Infinity });
  const { Piscina } = require('piscina') as typeof import('piscina');
  const pool = new Piscina<RowRange, Awaited<ReturnType<typeof work>>>({
    filename: threadEntry(import.meta.url, './lines-thread').href,
    name: 'work' satisfies keyof typeof import('./lines-thread.ts'),
    minThreads: 0,
    maxThreads: threads,
    recordTiming: false,
    env: compileCacheEnvironment(),
    execArgv: sourceExecArgv(import.meta.url),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: OLD_GENERATION_MB },
    workerData: request,
  });
  try {
    const asked: { readonly task: Task; readonly answer: ReturnType<typeof pool.run> | undefined }[] = [];
    for (let next = 0; next < tasks.length || asked.length > 0;) {
      for (; next < tasks.length && asked.length <= threads; next++) {
        const task = tasks[next] as Task;
        const answer = task.bytes > MOST_TASK_BYTES ? undefined : pool.run(task);
        // A failure is thrown where its turn comes.
        answer?.catch(() => {});
        asked.push({ task, answer });
      }
      const { task, answer } = asked.shift() as (typeof asked)[number];
      const made = await answer?.catch(unlessOutOfMemory);
      if (made) yield* batchesOf(made);
      else yield* lines.batches(task);
    }
  } finally {
    await pool.destroy();
  }
}

function unlessOutOfMemory(thrown: unknown): undefined {
  if (systemCode(thrown) !== 'ERR_WORKER_OUT_OF_MEMORY') throw thrown;
}

function batchesOf(answer: Awaited<ReturnType<typeof work>>): readonly LineBatch[] {
  if ('failure' in answer) throw DataDesignerError.fromWire(answer.failure);
  return answer;
}

/** The rows of the files, as threads are given them. */
async function tasksOf(folder: string): Promise<readonly Task[]> {
  const table = new DatasetRows(folder);
  await table.refresh();
  const tasks: Task[] = [];
  for (const { path, start, rows } of table.files) {
    // A file that was merged meanwhile is read where it went.
    const bytes = await stat(path).then(
      ({ size }) => size,
      () => Infinity,
    );
    const task = tasks.at(-1);
    const joins = task && task.count < TASK_ROWS && task.bytes + bytes <= TASK_BYTES;
    if (joins) tasks.splice(-1, 1, { start: task.start, count: task.count + rows, bytes: task.bytes + bytes });
    else tasks.push({ start, count: rows, bytes });
  }
  return tasks;
}
