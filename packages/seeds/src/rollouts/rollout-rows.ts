import { join, relative, sep } from 'node:path';
import { type ArrowField, DataDesignerError } from '@data-designer/core';
import type { FileStamp } from '@data-designer/dataset';
import { spoolTable } from '../rows/memory-rows.ts';
import { completeRows, type UnfinishedTable } from '../tables/complete-rows.ts';
import { CHANGED_MEANWHILE } from '../tables/file-state.ts';
import type { RowSource, PrepareContext } from '../tables/table-source.ts';
import { TableWriter } from '../tables/table-writer.ts';
import { recordingReader, type RolloutFolder } from './read-recordings.ts';

/** The first columns, which are known before a row is made: `trace_id`, `source_kind` and `source_path`. */
const KNOWN = 3;

/** A recording that makes a row. */
export interface KnownRollout {
  readonly traceId: string;
  /** Relative, with `/`. */
  readonly path: string;
}

/** Inspected recordings. */
export interface SeenRollouts extends RolloutFolder {
  readonly fields: readonly ArrowField[];
  /** The recordings that make rows, in order. */
  readonly known: readonly KnownRollout[];
  /** Size and time of every file read, by its relative path. */
  readonly stamps: ReadonlyMap<string, FileStamp>;
}

/** The rows of recordings. Only the first columns are put in order; a recording is read again once its row is used. */
export function rolloutRows(seen: SeenRollouts): RowSource {
  const { root, format, fields, stamps } = seen;
  const files = [...stamps].map(([name, stamp]) => ({ name, path: join(root, name), stamp }));
  // The content of every file decides whether it makes a row, and so the positions of later rows.
  const contents = new Set(files.map(({ path }) => path));
  const known = fields.slice(0, KNOWN);
  return {
    name: root,
    files,
    contents: () => contents,
    open: ({ scratch }) => {
      const path = join(scratch, 'sessions.parquet');
      using writer = new TableWriter(path, known, { isPacked: false });
      const ids = seen.known.map(({ traceId }) => traceId);
      const paths = seen.known.map((one) => join(root, one.path));
      writer.write([ids, ids.map(() => format), paths]);
      writer.finish();
      return Promise.resolve(spoolTable(path, known));
    },
    complete: (ordered, destination, context) => addSessions({ ordered, destination, fields, known }, seen, context),
  };
}

async function addSessions(
  unfinished: UnfinishedTable,
  seen: SeenRollouts,
  { signal }: PrepareContext,
): Promise<number> {
  // The inspection has reported the recordings that are left out.
  const read = await recordingReader(seen, () => undefined);
  return completeRows(unfinished, {
    signal,
    rowOf: async ([, , path = '']) => {
      const session = await read(relative(seen.root, path).replaceAll(sep, '/'));
      if (!session) throw new DataDesignerError('seed/unreadable', { source: path, reason: CHANGED_MEANWHILE });
      const { row, characters } = session;
      return { values: unfinished.fields.map(({ name }) => row[name]), characters };
    },
  });
}
