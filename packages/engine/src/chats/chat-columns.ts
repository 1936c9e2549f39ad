import { DataDesignerError, type Gateway, type Plan, type ToolSchema } from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import type { FrozenTools } from '../freeze-tools.ts';

/** A column whose whole conversations are kept, and the tools that its model was told of. */
export interface ChatColumn {
  readonly name: string;
  readonly trace: string;
  readonly tools: readonly ToolSchema[];
}

/** Where conversations are looked for: a dataset's plan, and its tools as models are told of them. */
export interface ChatSource {
  readonly path: string;
  readonly plan: Plan;
  readonly tools: FrozenTools;
}

/**
 * The columns whose conversations can be exported, or the one of that name. Throws `dataset/no-chats` where there is
 * none, because traces were not kept or hold the last message alone.
 */
export async function chatColumns({ path, plan, tools }: ChatSource, column?: string): Promise<readonly ChatColumn[]> {
  const kept = plan.columns.filter(({ config }) => (config as KeepsTrace).withTrace === 'all_messages');
  const wanted = column === undefined ? kept : kept.filter(({ name }) => name === column);
  if (wanted.length === 0) {
    const names = kept.map(({ name }) => `'${name}'`).join(', ');
    const others = column === undefined || names === '' ? '' : `; these do: ${names}`;
    const reason = `${column === undefined ? 'no column' : `no column '${column}'`} keeps its whole conversations${others}`;
    throw new DataDesignerError('dataset/no-chats', { path, reason });
  }
  const gateway = { listTools: async (provider: string) => tools[provider] ?? [] };
  const registry = new MCPRegistry(plan.tools, gateway as unknown as Gateway);
  return Promise.all(
    wanted.map(async ({ name, spends }) => {
      const told = await Promise.all(spends.tools.map((alias) => registry.get(alias).getToolSchemas()));
      return { name, trace: `${name}__trace`, tools: told.flat() };
    }),
  );
}

/** What a column written by a language model says of its conversations. */
interface KeepsTrace {
  readonly withTrace?: string;
}
