import { join, relative, sep } from 'node:path';
import { type ArrowField, DataDesignerError } from '@data-designer/core';
import type { FileStamp } from '@data-designer/dataset';
import type { OpenTable, RowSource, Workplace } from '../tables/table-source.ts';
import { TableWriter } from '../tables/table-writer.ts';
import { completeRows, type Unfinished } from '../tables/complete-rows.ts';
import type { Row } from '../rows/serializable-row.ts';
import { spoolTable } from '../rows/memory-rows.ts';
import { type RolloutFolder, rolloutReader } from './read-recordings.ts';

/** The columns that a session is known by before its row is made: its id, its format, and where it stands. */
const KNOWN = 3;

/** What is known of a session that was looked at, in the order of the first columns. */
export type KnownRollout = readonly string[];

/** Recordings that were looked at. */
export interface SeenRollouts extends RolloutFolder {
  readonly fields: readonly ArrowField[];
  /** Of those that make rows, in order. */
  readonly known: readonly KnownRollout[];
  /** All files that were read, by their relative paths. */
  readonly stamps: ReadonlyMap<string, FileStamp>;
}

/** What is known of a session by its row. */
export function knownRollout(row: Row, fields: readonly ArrowField[]): KnownRollout {
  return fields.slice(0, KNOWN).map(({ name }) => row[name] as string);
}

/** The rows of recordings; one is read again when its row stands in its order, and only then. */
export function rolloutRows(seen: SeenRollouts): RowSource {
  const { root, fields, stamps } = seen;
  const files = [...stamps].map(([name, stamp]) => ({ name, path: join(root, name), stamp }));
  // Whether a file makes a row depends on what is in it, and with that the place of those after it.
  const contents = new Set(files.map(({ path }) => path));
  const known = fields.slice(0, KNOWN);
  return {
    name: root,
    files,
    contents: () => contents,
    open: ({ scratch }) => Promise.resolve(writeKnown(join(scratch, 'sessions.parquet'), known, seen.known)),
    complete: (ordered, destination, place) => addSessions({ ordered, destination, fields, known }, seen, place),
  };
}

function writeKnown(path: string, fields: readonly ArrowField[], known: readonly KnownRollout[]): OpenTable {
  using writer = new TableWriter(path, fields, { isPacked: false });
  writer.write(fields.map((_, column) => known.map((values) => values[column])));
  writer.finish();
  return spoolTable(path, fields);
}

async function addSessions(unfinished: Unfinished, seen: SeenRollouts, { signal }: Workplace): Promise<number> {
  // What is left out was told when it was looked at.
  const sessionOf = await rolloutReader(seen, () => undefined);
  return completeRows(unfinished, {
    signal,
    rowOf: async (known) => {
      const path = known[KNOWN - 1] as string;
      const session = await sessionOf(relative(seen.root, path).replaceAll(sep, '/'));
      if (!session) {
        const reason = 'it was changed while the run began';
        throw new DataDesignerError('seed/unreadable', { source: path, reason });
      }
      const { row, characters } = session;
      return { values: unfinished.fields.map(({ name }) => row[name]), characters };
    },
  });
}
