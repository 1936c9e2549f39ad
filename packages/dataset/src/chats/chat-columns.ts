import {
  type ChatColumn,
  DataDesignerError,
  type Gateway,
  messageFields,
  type Plan,
  type ToolSchema,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { datasetPaths } from '../dataset-paths.ts';
import { type FrozenTools, hasRunRecord, readRunRecord } from '../run-record.ts';

/** The plan of a dataset and the tool schemas that its models received. */
export interface ChatSource {
  readonly path: string;
  readonly plan: Plan;
  readonly tools: FrozenTools;
}

/**
 * The columns whose complete conversations the models of a dataset had, or else those of the datasets that its rows come
 * from. A name chooses one, by its column or its trace; it may be one of the seed. Throws `dataset/no-chats` if there is none.
 */
export async function chatColumns(source: ChatSource, column?: string): Promise<readonly ChatColumn[]> {
  const { path, plan } = source;
  const [own, inherited] = [await ownChats(source), inheritedChats(plan)];
  const wanted =
    column === undefined
      ? own.length > 0
        ? own
        : inherited
      : [...own, ...inherited].filter(({ name, trace }) => name === column || trace === column);
  if (wanted.length === 0) {
    if (column !== undefined && isRecorded(plan, column)) {
      return [{ name: column, trace: column, tools: [], hasCorrections: false }];
    }
    throw noChats({ path, plan }, { column, kept: [...new Set([...own, ...inherited].map(({ name }) => name))] });
  }
  const stored = new Set(plan.fields.map(({ name }) => name));
  for (const { name, history } of wanted) {
    if (history === undefined || stored.has(history)) continue;
    const reason = `the conversations of '${name}' begin with the column '${history}', which the dataset does not store`;
    throw new DataDesignerError('dataset/no-chats', { path, reason });
  }
  return wanted;
}

/** The conversations that the models of a dataset had, also those of attempts, which are members of columns. */
function ownChats({ plan, tools }: Omit<ChatSource, 'path'>): Promise<readonly ChatColumn[]> {
  const schemasOf = recordedTools({ plan, tools });
  const kept = plan.columns.flatMap(({ name, chats = [] }) => chats.map((chat) => ({ name, ...chat })));
  return Promise.all(
    kept.map(async ({ name, field, tools: aliases, hasCorrections, history }) => ({
      name,
      trace: field,
      tools: await schemasOf(aliases),
      hasCorrections,
      history,
    })),
  );
}

/** The conversations of the datasets that rows come from, as far as the rows still have them. */
function inheritedChats({ tables, fields }: Plan): readonly ChatColumn[] {
  const stored = new Set(fields.map(({ name }) => name));
  return tables.flatMap(({ chats = [] }) => chats).filter(({ trace }) => stored.has(trace));
}

/** The conversations that the rows of a dataset hold, for a dataset whose seed they are; none without a `run.json`. */
export async function seedChats(folder: string): Promise<readonly ChatColumn[]> {
  const paths = datasetPaths(folder);
  if (!hasRunRecord(paths)) return [];
  const { plan, tools } = await readRunRecord(paths);
  const stored = new Set(plan.fields.map(({ name }) => name));
  const own = await ownChats({ plan, tools });
  return [...own.filter(({ trace }) => stored.has(trace)), ...inheritedChats(plan)];
}

/** Says why a dataset, or a column of it, has no conversations, and which columns have. */
function noChats(
  { path, plan }: Omit<ChatSource, 'tools'>,
  { column, kept }: { readonly column: string | undefined; readonly kept: readonly string[] },
): DataDesignerError {
  if (column === undefined) {
    return new DataDesignerError('dataset/no-chats', { path, reason: 'no column stores its complete conversations' });
  }
  const isKnown = [...plan.columns, ...plan.fields].some(({ name }) => name === column);
  const reason = isKnown ? 'it does not store complete conversations' : 'there is no such column';
  const added = isKnown
    ? ` To add the value of '${column}' to each of theirs, use --add ${column}, in code { add }.`
    : '';
  const remedy = kept.length > 0 ? { remedy: `Columns with conversations: ${kept.join(', ')}.${added}` } : {};
  return new DataDesignerError('dataset/no-chats', { path: `The column '${column}' of ${path}`, reason, ...remedy });
}

/** The schemas of the tools of aliases, as a run listed them. */
function recordedTools({ plan, tools }: Omit<ChatSource, 'path'>) {
  const gateway = { listTools: async (provider: string) => tools[provider] ?? [] };
  const registry = new MCPRegistry(plan.tools, gateway as unknown as Gateway);
  return async (aliases: readonly string[]): Promise<readonly ToolSchema[]> =>
    (await Promise.all(aliases.map((alias) => registry.get(alias).getToolSchemas()))).flat();
}

/** A field of messages that the models of a column received and wrote, with their tools. */
export type MessageField = Pick<ChatColumn, 'tools' | 'hasCorrections'> & { readonly field: string };

/** The fields of messages that columns of a dataset write, one-message traces included; none without a `run.json`. */
export async function messageFieldsOf(folder: string): Promise<readonly MessageField[]> {
  const paths = datasetPaths(folder);
  if (!hasRunRecord(paths)) return [];
  const { plan, tools } = await readRunRecord(paths);
  const schemasOf = recordedTools({ plan, tools });
  const written = plan.columns.flatMap(({ writes, requires, chats = [] }) =>
    writes
      .filter(({ type }) => messageFields(type) !== undefined)
      .map(({ name: field }) => ({ field, requires, chat: chats.find((chat) => chat.field === field) })),
  );
  const own = await Promise.all(
    written.map(async ({ field, requires, chat }) => ({
      field,
      tools: await schemasOf(chat?.tools ?? requires.tools),
      hasCorrections: chat?.hasCorrections ?? false,
    })),
  );
  // The seed writes the fields of its rows: what its dataset knows of them counts.
  return [...own, ...inheritedChats(plan).map(({ trace, ...chat }) => ({ ...chat, field: trace }))];
}

/** Whether a seed table has a column of conversations with that name: lists of messages with at least role and content. */
function isRecorded({ tables }: Plan, column: string): boolean {
  const found = tables.flatMap(({ fields }) => fields).find(({ name }) => name === column);
  if (found === undefined || typeof found.type === 'string' || !('list' in found.type)) return false;
  const { list } = found.type;
  if (typeof list === 'string' || !('struct' in list)) return false;
  const names = new Set(list.struct.map(({ name }) => name));
  return names.has('role') && names.has('content');
}
