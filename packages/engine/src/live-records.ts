import { join } from 'node:path';
import type { CellValue } from '@data-designer/core';
import {
  batchFiles,
  batchName,
  datasetPaths,
  markedGroups,
  readBatch,
  readDataset,
  readRunRecord,
  readStreams,
} from '@data-designer/dataset';
import type { RunEvent } from './run-event.ts';
import type { ObservingReaders } from './run-observer.ts';
import { type AwaitedGroup, type FinishedRows, NOBODY } from './row-group/awaited-group.ts';

type Records = AsyncGenerator<Record<string, CellValue>>;

/** A row group committed in this run. */
interface CommittedGroup {
  readonly rows: number;
  /** As in `RowGroupResult`. */
  readonly rowIndexes: readonly number[] | undefined;
}

/** How far one reader is: in the row group `next`, before which the dataset has `before` rows. */
interface Reader {
  next: number;
  before: number;
  /** The rows of the group that were read from its file. */
  fromFile: number;
  /** The indexes in the run of the rows of the group that were read while it was open. */
  readonly given: Set<number>;
  /** How many parts of the open group were read. */
  parts: number;
}

/**
 * The rows of a running run: those of committed row groups from their files, and the finished ones of the first group that
 * is not committed from its thread. Memory holds the numbers of the groups, and the rows of that one group.
 */
export class LiveRecords {
  readonly #committed = new Map<number, CommittedGroup>();
  readonly #rowIndexes = new Map<number, readonly number[] | undefined>();
  /** The finished rows of open groups, in the order in which they came; a group that lost its thread sends some again. */
  readonly #open = new Map<number, FinishedRows[]>();
  readonly #readers = new Set<Reader>();
  readonly #awaited: AwaitedGroup = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(NOBODY);
  #path: string | undefined;
  #end: { readonly failure?: unknown } | undefined;
  #changed = Promise.withResolvers<void>();

  /** Takes the finished rows of open row groups. */
  readonly readers: ObservingReaders = {
    awaited: this.#awaited,
    onRows: (rows) => {
      if (this.#committed.has(rows.group)) return;
      this.#open.set(rows.group, [...(this.#open.get(rows.group) ?? []), rows]);
      this.#tell();
    },
    onGroupEnd: (group, rowIndexes) => {
      if (rowIndexes) this.#rowIndexes.set(group, rowIndexes);
    },
  };

  /** Follows an event of the run. */
  take(event: RunEvent): void {
    if (event.type === 'run-start') this.#path = event.path;
    else if (event.type === 'row-group-end') this.#commit(event.group, event.rows);
    else return;
    this.#tell();
  }

  /** Ends the run with the dataset's path or the failure. */
  end(over: { readonly path: string } | { readonly failure: unknown }): void {
    if ('path' in over) this.#path = over.path;
    this.#end = 'failure' in over ? { failure: over.failure } : {};
    this.#tell();
  }

  /** The rows in order, each once it and all earlier ones are finished; then the run's failure. */
  async *records(): Records {
    const reader: Reader = { next: 0, before: 0, fromFile: 0, given: new Set(), parts: 0 };
    this.#readers.add(reader);
    try {
      this.#await();
      yield* this.#whileItGoes(reader);
      if (this.#path !== undefined) yield* this.#rest(reader, this.#path);
    } finally {
      this.#readers.delete(reader);
      this.#await();
    }
    if (this.#end && 'failure' in this.#end) throw this.#end.failure;
  }

  /** The rows in order, until the run is over or a merge at its end has replaced a file. */
  async *#whileItGoes(reader: Reader): Records {
    while (this.#path === undefined && !this.#end) await this.#changed.promise;
    if (this.#path === undefined || this.#end) return;
    const paths = datasetPaths(this.#path);
    const { format } = await readRunRecord(paths);
    // An unfinished group's file is read only after the group is made again.
    const left = new Set(await markedGroups(paths));
    const whole = (await batchFiles(paths)).filter(({ first }) => !left.has(first));
    const before = new Map(whole.map((file) => [file.first, file]));
    while (!this.#end) {
      const file = before.get(reader.next);
      const committed = this.#committed.get(reader.next);
      if (!file && !committed) {
        const part = this.#open.get(reader.next)?.[reader.parts];
        if (part) yield* rowsOfPart(part, reader);
        else await this.#changed.promise;
        continue;
      }
      const path = file?.path ?? join(paths.parquetFiles, batchName(reader.next, format));
      if (committed?.rows !== 0 && !(yield* unread(readBatch(path), reader, committed))) break;
      this.#advance(reader, (file?.last ?? reader.next) + 1);
    }
    while (!this.#end) await this.#changed.promise;
  }

  /** The rows that a reader has not read when the run is over. */
  async *#rest(reader: Reader, path: string): Records {
    const committed = this.#committed.get(reader.next);
    // Rows of a group that was never committed are in no file.
    if (!committed) reader.given.clear();
    yield* unread(readDataset(path, { skip: reader.before + reader.fromFile }), reader, committed);
  }

  #commit(group: number, rows: number): void {
    this.#committed.set(group, { rows, rowIndexes: this.#rowIndexes.get(group) });
    this.#rowIndexes.delete(group);
    this.#open.delete(group);
  }

  #advance(reader: Reader, next: number): void {
    reader.before += reader.fromFile;
    Object.assign(reader, { next, fromFile: 0, parts: 0 });
    reader.given.clear();
    this.#await();
  }

  /** Tells the threads which row group the foremost reader is in. */
  #await(): void {
    Atomics.store(this.#awaited, 0, Math.max(NOBODY, ...[...this.#readers].map(({ next }) => next)));
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** The rows of a part of an open group that a reader does not have yet. */
async function* rowsOfPart({ indexes, bytes }: FinishedRows, reader: Reader): Records {
  let at = 0;
  reader.parts++;
  for await (const row of readStreams([bytes])) {
    const index = indexes[at++] ?? NOBODY;
    if (reader.given.has(index)) continue;
    reader.given.add(index);
    yield row;
  }
}

/** The rows from files that a reader did not read while their group was open. Returns what the rows return. */
async function* unread<End extends boolean | void>(
  rows: AsyncGenerator<Record<string, CellValue>, End | false>,
  reader: Reader,
  committed: CommittedGroup | undefined,
): AsyncGenerator<Record<string, CellValue>, End | false> {
  const { given } = reader;
  const { rowIndexes } = committed ?? {};
  // Another machine of a cluster knows no reader: its rows are the same ones in the same order.
  const isGiven = (position: number): boolean =>
    rowIndexes ? given.has(rowIndexes[position] ?? NOBODY) : position < given.size;
  try {
    for (;;) {
      const next = await rows.next();
      if (next.done) return next.value;
      if (!isGiven(reader.fromFile++)) yield next.value;
    }
  } finally {
    await rows.return(false);
  }
}
