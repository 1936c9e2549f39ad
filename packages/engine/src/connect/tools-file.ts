import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { DataDesignerError, fieldsOf, fileReason, listedTool, type Plan, type ToolSchema } from '@data-designer/core';
import { toolsAnswer, toolsOfProvider } from '@data-designer/core/tools-answer';
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
  const providers = tools.filter(({ name }) => used.has(name));
  const sharing = Map.groupBy(tools, ({ toolsFile }) => toolsFile);
  const found = await Promise.all(
    providers.map((one) => readToolsFile(one, sharing.get(one.toolsFile)?.map(({ name }) => name) ?? [])),
  );
  return found.flatMap((file) => file ?? []);
}

/**
 * Reads the file of a provider with the prefix of its tools; undefined if it names none. `sharing` has the names of all
 * providers of the file. Throws `tool/unavailable`.
 */
async function readToolsFile(provider: MCPProvider, sharing: readonly string[]): Promise<ToolsFile | undefined> {
  const { name, toolsFile: path, toolPrefix: prefix } = provider;
  if (path === undefined) return undefined;
  const refused = (reason: string): DataDesignerError =>
    new DataDesignerError('tool/unavailable', {
      provider: name,
      reason: `its tools_file ${path} ${reason}; 'data-designer mcp list-tools --output FILE' writes one`,
    });
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw refused(`cannot be read: ${fileReason(thrown)}`);
  });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw refused('is no JSON');
  }
  const { listed_at: listedAt } = fieldsOf(parsed);
  const answer = toolsAnswer(parsed);
  if (answer?.isWhole === false) throw refused('has one page of an answer to tools/list, with a nextCursor');
  if (answer && sharing.length > 1) {
    const all = sharing.map((one) => `'${one}'`).join(', ');
    throw refused(`has the answer of one server to tools/list, but it is that of ${all}`);
  }
  const tools = toolsOfProvider(parsed, name);
  if (!Array.isArray(tools)) throw refused(`has no tools of '${name}'`);
  const schemas = tools.map((tool: unknown) => {
    const listed = listedTool(tool);
    if (!listed) throw refused('has a tool without a name or with another schema than an object');
    const schema = toolSchema(listed);
    return prefix === undefined ? schema : { ...schema, prefix };
  });
  return { provider: name, path, listedAt: typeof listedAt === 'string' ? listedAt : null, tools: schemas };
}

/** A tool as files describe it. */
interface FiledTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolSchema['function']['parameters'];
}

/** A tool that no file can describe, with the reason. */
export interface UnfiledTool {
  readonly name: string;
  readonly reason: string;
}

/** The tools of a provider as a file describes them, without its prefix, and those that would be others when it is read. */
export function filedTools(schemas: readonly ToolSchema[]): {
  readonly tools: readonly FiledTool[];
  readonly leftOut: readonly UnfiledTool[];
} {
  const tools: FiledTool[] = [];
  const leftOut: UnfiledTool[] = [];
  for (const { prefix: _, ...schema } of schemas) {
    const { name, description, parameters: inputSchema } = schema.function;
    const tool = { name, description, inputSchema };
    const read = listedTool(tool);
    const dropped = schema.sent && 'dropped' in schema.sent ? schema.sent.dropped : 'its schema is no object';
    if (read && isDeepStrictEqual(toolSchema(read), schema)) tools.push(tool);
    else leftOut.push({ name, reason: dropped });
  }
  return { tools, leftOut };
}
