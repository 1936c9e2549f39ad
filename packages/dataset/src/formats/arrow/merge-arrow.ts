import { isDeepStrictEqual } from 'node:util';
import { type ByteRange, findDamage, type GroupBytes, sumFile } from '../../files/file-sum.ts';
import { changedFile } from '../../files/damaged-file.ts';
import type { Append, FindGroups, MergeSource, LocatedGroup } from '../dataset-format.ts';
import { arrowBatches, arrowFooter, locateGroups } from './arrow-file.ts';
import { appendWritten } from './write-arrow.ts';

/** Appends the record batches of Arrow files as one file, one batch in memory at a time. */
export async function mergeArrow(sources: readonly MergeSource[], append: Append): Promise<FindGroups | undefined> {
  const footers = await Promise.all(sources.map(({ path }) => arrowFooter(path)));
  if (!footers.every(({ schema }) => isDeepStrictEqual(schema.fields, footers[0]?.schema.fields))) return undefined;
  const groups: BatchedGroup[] = [];
  await appendWritten(append, async (writer) => {
    for (const [index, source] of sources.entries()) {
      const { path, span, sum, only } = source;
      await rejectChanged(source);
      const wanted = only ?? sum?.groups ?? (span ? locateGroups(footers[index]?.blocks ?? [], span) : []);
      const mine = wanted.map(({ group, last }) => ({
        group,
        ...(last === undefined ? {} : { last }),
        rows: 0,
        batches: 0,
      }));
      const groupAt = ({ from }: ByteRange) => mine[wanted.findIndex((one) => from >= one.from && from < one.to)];
      const isWanted = (block: ByteRange) => !only || groupAt(block) !== undefined;
      for await (const { batch, block } of arrowBatches(path, { isWanted })) {
        // A table would end the file: write batches.
        writer.write(batch);
        const group = groupAt(block);
        if (!group) continue;
        group.batches++;
        group.rows += batch.numRows;
      }
      groups.push(...mine);
    }
  });
  return async (path) => locate(groups, (await arrowFooter(path)).blocks);
}

/** Compares a file with its checksum, unless only some of its row groups are copied. */
async function rejectChanged({ path, sum, only }: MergeSource): Promise<void> {
  if (!sum || only) return;
  if (findDamage(await sumFile(path, sum.groups), sum)) throw changedFile(path);
}

/** Row groups of a dataset and the number of their record batches. */
interface BatchedGroup extends Pick<GroupBytes, 'group' | 'last'> {
  rows: number;
  batches: number;
}

function locate(groups: readonly BatchedGroup[], blocks: readonly ByteRange[]): readonly LocatedGroup[] {
  let next = 0;
  let end = 0;
  return groups.map(({ batches, ...group }) => {
    const mine = blocks.slice(next, (next += batches));
    const from = mine[0]?.from ?? end;
    end = mine.at(-1)?.to ?? end;
    return { ...group, from, to: end };
  });
}
