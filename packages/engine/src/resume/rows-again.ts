import { type DatasetPaths, markPartial, type PartialGroups } from '@data-designer/dataset';
import { type Counts, countsWithout } from '../counts.ts';
import type { ResumedGroup } from '../row-group/group-context.ts';

/**
 * The groups, with what those that keep rows have cost without the answers in their journals. A replay counts these answers,
 * also the next one, so each mark records the cost before the first new answer.
 */
export async function withSpent(
  groups: readonly ResumedGroup[],
  replayed: ReadonlyMap<number, Counts>,
  { paths, partial }: { readonly paths: DatasetPaths; readonly partial: PartialGroups },
): Promise<readonly ResumedGroup[]> {
  const counted: ResumedGroup[] = [];
  for (const group of groups) {
    const { again, index } = group;
    const mark = partial.get(index);
    if (!again || again.spent || !mark?.again) {
      counted.push(group);
      continue;
    }
    const spent = countsWithout(mark, replayed.get(index) ?? { usage: {} });
    await markPartial(paths, index, { ...mark, again: { ...mark.again, spent } });
    counted.push({ ...group, again: { ...again, spent } });
  }
  return counted;
}
