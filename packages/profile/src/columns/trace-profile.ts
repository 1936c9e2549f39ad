import { type ArrowField, messageFields, type WrittenChat } from '@data-designer/core';
import { quotedName } from '@data-designer/seeds/duck-db';
import { NOT_CALCULATED, type ToolTurn, type TraceProfile } from '../dataset-profile.ts';
import { profileCategories } from './category-profile.ts';
import { profileNumbers } from './number-profile.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

const MAX_TOOLS = 50;
const MAX_ENDS = 20;
const MAX_TURNS = 50;

/** The suffix of traces. */
const TRACE = '__trace';

/** Whether a column holds conversations; those of the Python tool are known by their name. */
export function isTrace({ name, type }: ArrowField): boolean {
  return messageFields(type) !== undefined || (name.endsWith(TRACE) && typeof type === 'object' && 'list' in type);
}

/** The lengths and ends of a column's conversations, and the tools they called. */
export async function profileTrace(
  table: ProfiledTable,
  { name, type }: ArrowField,
  chat?: WrittenChat,
): Promise<TraceProfile> {
  const column = quotedName(name);
  // A conversation has a turn for each message of the user, a trace one for each answer of the model.
  const role = chat?.end === undefined ? 'assistant' : 'user';
  const expression = `len(list_filter(${column}, lambda m: m.role = '${role}'))`;
  const turns = await table.calculated(() => profileNumbers(table, { expression, areWhole: true }));
  const tools = await table.calculated(() => countTools(table, column));
  const isCalling = typeof tools === 'object' && tools.length > 0;
  return {
    column: name.endsWith(TRACE) ? name.slice(0, -TRACE.length) : name,
    turns: turns ?? NOT_CALCULATED,
    ...(messageFields(type) ? { lengths: await lengthsOf(table, column) } : {}),
    ...(chat?.end === undefined ? {} : { ends: await endsOf(table, chat.end) }),
    ...(chat?.end !== undefined && isCalling
      ? { toolTurns: await table.calculated(() => countToolTurns(table, column)) }
      : {}),
    tools,
  };
}

async function lengthsOf(table: ProfiledTable, column: string): Promise<NonNullable<TraceProfile['lengths']>> {
  const expression = `list_sum(list_transform(${column}, lambda m: coalesce(length(m.content), 0)))`;
  const lengths = await table.calculated(() => profileNumbers(table, { expression, areWhole: true }));
  return lengths ?? NOT_CALCULATED;
}

async function endsOf(table: ProfiledTable, name: string): Promise<NonNullable<TraceProfile['ends']>> {
  const column = quotedName(name);
  const found = await table.calculated(() => profileCategories(table, { text: column, key: column, limit: MAX_ENDS }));
  return found === NOT_CALCULATED ? found : (found?.top ?? []);
}

/** A turn begins with each message of the user. */
async function countToolTurns(table: ProfiledTable, column: string): Promise<readonly ToolTurn[]> {
  const roles = `list_transform(${column}, lambda m: m.role = 'user')`;
  const calls = `list_transform(${column}, lambda m: coalesce(len(m.tool_calls), 0))`;
  const messages = `SELECT chat, generate_subscripts(roles, 1) AS place, unnest(roles) AS is_user, unnest(calls) AS calls
    FROM (SELECT row_number() OVER () AS chat, ${roles} AS roles, ${calls} AS calls FROM t)`;
  const turns = `SELECT chat, calls, sum(CAST(is_user AS INT)) OVER (PARTITION BY chat ORDER BY place) AS turn FROM (${messages})`;
  const rows = await table.rows(
    `SELECT turn, count(DISTINCT chat), sum(calls) FROM (${turns}) WHERE turn > 0
     GROUP BY turn ORDER BY turn LIMIT ${MAX_TURNS}`,
  );
  return rows.map(([turn, conversations, called]) => ({
    turn: Number(turn),
    conversations: Number(conversations),
    calls: Number(called),
  }));
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
