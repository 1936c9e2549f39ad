import { isDeepStrictEqual } from 'node:util';
import { type ByteRange, damageIn, type GroupBytes, sumFile } from '../../repair/checksums.ts';
import { changedFile } from '../../repair/damaged-file.ts';
import type { Append, FindGroups, MergeSource, PlacedGroup } from '../dataset-format.ts';
import { arrowBatches, arrowFooter, groupsIn } from './arrow-file.ts';
import { appendWritten } from './write-arrow.ts';

/** Appends the record batches of Arrow files as one file, one of them in memory at a time. */
export async function mergeArrow(sources: readonly MergeSource[], append: Append): Promise<FindGroups | undefined> {
  const footers = await Promise.all(sources.map(({ path }) => arrowFooter(path)));
  if (!footers.every(({ schema }) => isDeepStrictEqual(schema.fields, footers[0]?.schema.fields))) return undefined;
  const groups: BatchedGroup[] = [];
  await appendWritten(append, async (writer) => {
    for (const [index, source] of sources.entries()) {
      const { path, span, sum, only } = source;
      await refuseChanged(source);
      const wanted = only ?? sum?.groups ?? (span ? groupsIn(footers[index]?.blocks ?? [], span) : []);
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
  return async (path) => placed(groups, (await arrowFooter(path)).blocks);
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
