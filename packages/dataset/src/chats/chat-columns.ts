import { DataDesignerError, type Gateway, messageFields, type Plan, type ToolSchema } from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import type { FrozenTools } from '../run-record.ts';

/** A column whose whole conversations are kept, and the tools that its model was told of. */
export interface ChatColumn {
  readonly name: string;
  readonly trace: string;
  readonly tools: readonly ToolSchema[];
  /** Whether it is of the seed: what the user says in it corrects nothing. */
  readonly isRecorded?: boolean;
}

/** Where conversations are looked for: a dataset's plan, and its tools as models are told of them. */
export interface ChatSource {
  readonly path: string;
  readonly plan: Plan;
  readonly tools: FrozenTools;
}

/**
 * The columns whose conversations can be exported, or the one of that name, which may be of the seed too. Throws `dataset/no-chats` where there is
 * none, because traces were not kept or hold the last message alone.
 */
export async function chatColumns({ path, plan, tools }: ChatSource, column?: string): Promise<readonly ChatColumn[]> {
  const kept = plan.columns.filter(({ config }) => (config as KeepsTrace).withTrace === 'all_messages');
  const wanted = column === undefined ? kept : kept.filter(({ name }) => name === column);
  if (wanted.length === 0) {
    if (column !== undefined && isRecorded(plan, column)) {
      return [{ name: column, trace: column, tools: [], isRecorded: true }];
    }
    const names = kept.map(({ name }) => `'${name}'`).join(', ');
    const others = column === undefined || names === '' ? '' : `; these do: ${names}`;
    const reason = `${column === undefined ? 'no column' : `no column '${column}'`} keeps its whole conversations${others}`;
    throw new DataDesignerError('dataset/no-chats', { path, reason });
  }
  const gateway = { listTools: async (provider: string) => tools[provider] ?? [] };
  const registry = new MCPRegistry(plan.tools, gateway as unknown as Gateway);
  return Promise.all(
    wanted.map(async ({ name, requires }) => {
      const told = await Promise.all(requires.tools.map((alias) => registry.get(alias).getToolSchemas()));
      return { name, trace: `${name}__trace`, tools: told.flat() };
    }),
  );
}

/** Whether a table beside the run holds conversations under that name. */
function isRecorded({ tables }: Plan, column: string): boolean {
  const found = tables.flatMap(({ fields }) => fields).find(({ name }) => name === column);
  return found !== undefined && messageFields(found.type) !== undefined;
}

/** What a column written by a language model says of its conversations. */
interface KeepsTrace {
  readonly withTrace?: string;
}
