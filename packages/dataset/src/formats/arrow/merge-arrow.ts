import { appendWritten } from './append-arrow.ts';
import type { GroupSpan } from '../../read/batch-files.ts';
import { type ByteRange, damageIn, type GroupBytes, groupsAsOne, sumFile } from '../../repair/checksums.ts';
import { changedFile } from '../../repair/damaged-file.ts';
import type { FindGroups, MergeSource, PlacedGroup } from '../../merge/merge-source.ts';
import { arrowBatches, arrowBlocks } from './read-arrow.ts';

/**
 * Appends the record batches of Arrow files of one schema as one file, a batch of each in memory at a time; a file that does
 * not agree with its checksum is `dataset/damaged`.
 */
export async function mergeArrow(
  sources: readonly MergeSource[],
  append: (bytes: Uint8Array) => void,
): Promise<FindGroups> {
  const groups: BatchedGroup[] = [];
  await appendWritten(append, async (writer) => {
    for (const source of sources) {
      const { path, span, sum, only } = source;
      await refuseChanged(source);
      const wanted = only ?? sum?.groups ?? (span ? groupsOf(await arrowBlocks(path), span) : []);
      const mine = wanted.map(({ group, last }) => ({
        group,
        ...(last === undefined ? {} : { last }),
        rows: 0,
        batches: 0,
      }));
      const groupAt = ({ from }: ByteRange) => mine[wanted.findIndex((one) => from >= one.from && from < one.to)];
      const isWanted = (block: ByteRange) => !only || groupAt(block) !== undefined;
      for await (const { batch, block } of arrowBatches(path, { isWanted })) {
        // Given a table, the writer would take it for all there is.
        writer.write(batch);
        const group = groupAt(block);
        if (!group) continue;
        group.batches++;
        group.rows += batch.numRows;
      }
      groups.push(...mine);
    }
  });
  return async (path) => placed(groups, await arrowBlocks(path));
}

/** Compares a file with its checksum; one of which only a part is wanted has been compared before. */
async function refuseChanged({ path, sum, only }: MergeSource): Promise<void> {
  if (!sum || only) return;
  if (damageIn(await sumFile(path, sum.groups), sum)) throw changedFile(path);
}

/** Row groups of a dataset, and how many record batches hold them. */
interface BatchedGroup extends Pick<GroupBytes, 'group' | 'last'> {
  rows: number;
  batches: number;
}

function placed(groups: readonly BatchedGroup[], blocks: readonly ByteRange[]): readonly PlacedGroup[] {
  let next = 0;
  let end = 0;
  return groups.map(({ batches, ...group }) => {
    const mine = blocks.slice(next, (next += batches));
    const from = mine[0]?.from ?? end;
    end = mine.at(-1)?.to ?? end;
    return { ...group, from, to: end };
  });
}

/** Where the row groups of a dataset stand in a file that nobody has taken note of: each is one record batch. */
export function groupsOf(
  blocks: readonly ByteRange[],
  { first, last }: GroupSpan,
): readonly Omit<PlacedGroup, 'rows'>[] {
  if (blocks.length === last - first + 1) return blocks.map((block, index) => ({ group: first + index, ...block }));
  const whole = { from: blocks[0]?.from ?? 0, to: blocks.at(-1)?.to ?? 0 };
  return [{ ...groupsAsOne({ first, last }), ...whole }];
}
