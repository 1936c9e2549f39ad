import { type AttemptsByBlock, joinAttempts } from '@data-designer/core';
import { addToolCounts, type ToolCounts } from '@data-designer/mcp';
import { addUsage, type ModelUsage, noUsage } from '@data-designer/models';

/** The usage of models by alias, and the counts of tools and attempts. */
export interface Counts {
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly tools?: Readonly<Record<string, ToolCounts>>;
  /** By block; none if absent. */
  readonly attempts?: AttemptsByBlock;
}

/** Counts that are complete. */
type AllCounts = Required<Omit<Counts, 'attempts'>> & Pick<Counts, 'attempts'>;

/** The sum of counts; `one` itself where there are no others. */
export function joinCounts(one: AllCounts, other: Counts | undefined): AllCounts {
  return other ? sumOf([one, other]) : one;
}

/** Counts without a part of them. The longest time of a tool stays. */
export function countsWithout(all: Counts, { attempts: replayed, ...part }: Counts): AllCounts {
  const { usage, tools } = sumOf([all, negated(part)]);
  const attempts = all.attempts && joinAttempts(all.attempts, replayed, -1);
  const counted = Object.entries(tools).map(([name, counts]): [string, ToolCounts] => {
    const failures = Object.fromEntries(Object.entries(counts.failures).filter(([, calls]) => calls > 0));
    return [name, { ...counts, failures }];
  });
  return {
    usage,
    tools: Object.fromEntries(counted.filter(([, { calls }]) => calls > 0)),
    ...(attempts && { attempts }),
  };
}

/** Counts while they are added up. */
export interface TotalCounts {
  readonly usage: Map<string, ModelUsage>;
  readonly tools: Record<string, ToolCounts>;
  attempts?: AttemptsByBlock;
}

/** Adds counts to a total. */
export function addCounts(total: TotalCounts, { usage, tools = {}, attempts }: Counts): void {
  addToolCounts(total.tools, tools);
  if (attempts) total.attempts = joinAttempts(total.attempts ?? {}, attempts);
  for (const [alias, counts] of Object.entries(usage)) {
    const known = total.usage.get(alias) ?? noUsage();
    addUsage(known, counts);
    total.usage.set(alias, known);
  }
}

function sumOf(parts: readonly Counts[]): AllCounts {
  const total: TotalCounts = { usage: new Map(), tools: {} };
  for (const part of parts) addCounts(total, part);
  const { usage, ...others } = total;
  return { usage: Object.fromEntries(usage), ...others };
}

/** The counts with all numbers negative, except for the longest times, which do not add up. */
function negated<Value>(value: Value): Value {
  if (typeof value === 'number') return -value as Value;
  if (Array.isArray(value)) return value.map(negated) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, key === 'longestMs' ? 0 : negated(one)]);
  return Object.fromEntries(entries) as Value;
}
