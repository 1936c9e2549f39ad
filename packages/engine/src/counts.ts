import { addToolCounts, type ToolCounts } from '@data-designer/mcp';
import { addUsage, type ModelUsage, noUsage } from '@data-designer/models';

/** The usage of models by alias, and the counts of tools. */
export interface Counts {
  readonly usage: Readonly<Record<string, ModelUsage>>;
  readonly tools?: Readonly<Record<string, ToolCounts>>;
}

/** The sum of counts; `one` itself where there are no others. */
export function joinCounts(one: Required<Counts>, other: Counts | undefined): Required<Counts> {
  return other ? sumOf([one, other]) : one;
}

/** Counts without a part of them. The longest time of a tool stays. */
export function countsWithout(all: Counts, part: Counts): Required<Counts> {
  const { usage, tools } = sumOf([all, negated(part)]);
  const counted = Object.entries(tools).map(([name, counts]): [string, ToolCounts] => {
    const failures = Object.fromEntries(Object.entries(counts.failures).filter(([, calls]) => calls > 0));
    return [name, { ...counts, failures }];
  });
  return { usage, tools: Object.fromEntries(counted.filter(([, { calls }]) => calls > 0)) };
}

/** Counts while they are added up. */
export interface TotalCounts {
  readonly usage: Map<string, ModelUsage>;
  readonly tools: Record<string, ToolCounts>;
}

/** Adds counts to a total. */
export function addCounts(total: TotalCounts, { usage, tools = {} }: Counts): void {
  addToolCounts(total.tools, tools);
  for (const [alias, counts] of Object.entries(usage)) {
    const known = total.usage.get(alias) ?? noUsage();
    addUsage(known, counts);
    total.usage.set(alias, known);
  }
}

function sumOf(parts: readonly Counts[]): Required<Counts> {
  const total: TotalCounts = { usage: new Map(), tools: {} };
  for (const part of parts) addCounts(total, part);
  return { usage: Object.fromEntries(total.usage), tools: total.tools };
}

/** The counts with all numbers negative, except for the longest times, which do not add up. */
function negated<Value>(value: Value): Value {
  if (typeof value === 'number') return -value as Value;
  if (Array.isArray(value)) return value.map(negated) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, key === 'longestMs' ? 0 : negated(one)]);
  return Object.fromEntries(entries) as Value;
}
