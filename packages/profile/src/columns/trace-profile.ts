import type { ArrowField } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds/duck-db';
import { NOT_CALCULATED, type TraceProfile } from '../dataset-profile.ts';
import { profileNumbers } from './number-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

const MAX_TOOLS = 50;

/** The suffix of trace columns. */
const TRACE = '__trace';

/** Whether a column holds traces. */
export function isTrace({ name, type }: ArrowField): boolean {
  return name.endsWith(TRACE) && typeof type === 'object' && 'list' in type;
}

/** The length of a column's conversations, and the tools they called. */
export async function profileTrace(table: ProfiledTable, { name }: ArrowField): Promise<TraceProfile> {
  const column = quotedName(name);
  const expression = `len(list_filter(${column}, lambda m: m.role = 'assistant'))`;
  const turns = await table.calculated(() => profileNumbers(table, { expression, areWhole: true }));
  return {
    column: name.slice(0, -TRACE.length),
    turns: turns ?? NOT_CALCULATED,
    tools: await table.calculated(() => countTools(table, column)),
  };
}

async function countTools(table: ProfiledTable, column: string) {
  const calls = `SELECT unnest(flatten(list_transform(${column}, lambda m: coalesce(m.tool_calls, [])))) AS call FROM t`;
  const called = await table.rows(
    `SELECT left(call.function.name, 100) AS name, count(*) AS n FROM (${calls})
     GROUP BY name ORDER BY n DESC, name LIMIT ${MAX_TOOLS}`,
  );
  const messages = `SELECT unnest(list_filter(${column}, lambda m: m.role = 'tool')) AS message FROM t`;
  // Every tool error reaches the model in these words.
  const failing = `regexp_extract(message.content, '^Error: Tool ''(.*?)'' failed', 1)`;
  const failed = await table.rows(
    `SELECT left(${failing}, 100) AS name, count(*) FROM (${messages}) WHERE name <> '' GROUP BY name`,
  );
  const failures = new Map(failed.map(([tool, count]) => [String(tool), Number(count)]));
  return called.map(([tool, count]) => ({
    name: String(tool),
    calls: Number(count),
    failed: failures.get(String(tool)) ?? 0,
  }));
}
