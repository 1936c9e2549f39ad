import { readFile } from 'node:fs/promises';
import {
  DataDesignerError,
  fieldsOf,
  fileReason,
  itemsOf,
  listedTool,
  type Plan,
  type ToolSchema,
} from '@data-designer/core';
import type { MCPProvider, Providers } from '@data-designer/config';
import { toolSchema, type ToolsFileOrigin } from '@data-designer/mcp';

/** The tools that a file tells of. */
export interface ToolsFile extends ToolsFileOrigin {
  readonly tools: readonly ToolSchema[];
}

/** Reads the files that the used providers of a plan name in place of their lists; throws `tool/unavailable`. */
export async function readToolsFiles(
  { resources }: Pick<Plan, 'resources'>,
  { tools }: Pick<Providers, 'tools'>,
): Promise<readonly ToolsFile[]> {
  // A server of a row is not compared with a file: it starts for each row anyway.
  const used = new Set(
    resources.flatMap(({ kind, provider, rowServer }) => (kind === 'tools' && rowServer === undefined ? provider : [])),
  );
  const found = await Promise.all(tools.filter(({ name }) => used.has(name)).map(readToolsFile));
  return found.flatMap((file) => file ?? []);
}

/** Reads the file of a provider with the prefix of its tools; undefined if it names none. Throws `tool/unavailable`. */
export async function readToolsFile(provider: MCPProvider): Promise<ToolsFile | undefined> {
  const { name, toolsFile: path, toolPrefix: prefix } = provider;
  if (path === undefined) return undefined;
  const refused = (reason: string): DataDesignerError =>
    new DataDesignerError('tool/unavailable', { provider: name, reason: `its tools_file ${path} ${reason}` });
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw refused(`cannot be read: ${fileReason(thrown)}`);
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refused('is no JSON');
  }
  const { providers, listed_at: listedAt } = fieldsOf(parsed);
  const own = itemsOf(providers).find((entry) => fieldsOf(entry)['provider'] === name) ?? parsed;
  const { tools } = fieldsOf(own);
  if (!Array.isArray(tools)) throw refused(`has no tools of '${name}'`);
  const schemas = tools.map((tool: unknown) => {
    const listed = listedTool(tool);
    if (!listed) throw refused('has a tool without a name or with another schema than an object');
    const schema = toolSchema(listed);
    return prefix === undefined ? schema : { ...schema, prefix };
  });
  return { provider: name, path, listedAt: typeof listedAt === 'string' ? listedAt : null, tools: schemas };
}
