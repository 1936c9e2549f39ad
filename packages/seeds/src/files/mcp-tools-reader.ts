import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Mapping, MCP_TOOL_FIELDS, type SeedSource } from '@data-designer/config';
import {
  DataDesignerError,
  fieldsOf,
  type Finding,
  isFailure,
  listedTool,
  nearest,
  tryParse,
} from '@data-designer/core';
import { toolsAnswer } from '@data-designer/core/tools-answer';
import { arrayRows } from '../rows/memory-rows.ts';
import { seedError, type SeedReader, unreadRows } from '../seed-reader.ts';
import { reasonOf, stampOf } from '../tables/file-state.ts';

type McpToolsSource = Extract<SeedSource, { readonly seedType: 'mcp-tools' }>;

/** The tools of one provider. */
interface ToolList {
  readonly provider: string;
  readonly tools: readonly Mapping[];
}

/** Reads `mcp-tools`: a row for each tool, or for each provider, of a file with the tool lists of MCP providers. */
export const mcpToolsReader: SeedReader<McpToolsSource> = {
  inspect: async ({ path: declared, providers, rowOf }, { folder, signal }) => {
    const path = resolve(folder, declared);
    try {
      const stamp = await stampOf({ path, name: path });
      const lists = listsIn(await readJson(path, signal), { path, providers });
      const missing = missingProviders(lists, providers, path);
      if (missing.length > 0) return unreadRows(missing);
      const chosen = lists.filter(({ provider, tools }) => tools.length > 0 && providers?.includes(provider) !== false);
      if (chosen.length === 0) return unreadRows([noTools(path, providers)]);
      const rows: readonly Mapping[] =
        rowOf === 'provider'
          ? chosen.map((list) => ({ ...list }))
          : chosen.flatMap(({ provider, tools }) => tools.map((tool) => ({ provider, ...tool })));
      const columns = MCP_TOOL_FIELDS[rowOf];
      const { open } = arrayRows(rows, columns);
      const source = { name: path, files: [{ path, name: path, stamp }], open };
      return { columns, rows: rows.length, findings: [], source };
    } catch (thrown) {
      if (!isFailure(thrown, 'seed/unreadable')) throw thrown;
      const { source, reason } = thrown.data;
      const remedy =
        'Write such a file with \'data-designer mcp list-tools --output FILE\', or correct this one: {"providers": [{"provider": NAME, "tools": [{"name", "description", "inputSchema"}]}]}.';
      return unreadRows([seedError('seed_unreadable', `${source} cannot be read: ${reason}.`, remedy)]);
    }
  },
};

function refusal(path: string, reason: string): DataDesignerError {
  return new DataDesignerError('seed/unreadable', { source: path, reason });
}

/** Reads a JSON file; throws `seed/unreadable`. */
async function readJson(path: string, signal: AbortSignal): Promise<unknown> {
  const text = await readFile(path, { encoding: 'utf8', signal }).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw refusal(path, reasonOf(thrown));
  });
  const parsed = tryParse<unknown>(text, JSON.parse);
  if (parsed === undefined) throw refusal(path, 'it is no JSON');
  return parsed;
}

/** The tool lists of a parsed file, in its order; throws `seed/unreadable`. */
function listsIn(
  parsed: unknown,
  { path, providers: chosen }: Pick<McpToolsSource, 'path' | 'providers'>,
): readonly ToolList[] {
  const answer = toolsAnswer(parsed);
  if (answer?.isWhole === false) throw refusal(path, 'it has one page of an answer to tools/list, with a nextCursor');
  const [only, ...others] = chosen ?? [];
  if (answer && (only === undefined || others.length > 0)) {
    throw refusal(path, "it has an answer to tools/list, whose provider 'providers' must name: a list of one name");
  }
  const { providers } = answer ? { providers: [{ provider: only, tools: answer.tools }] } : fieldsOf(parsed);
  if (!Array.isArray(providers)) throw refusal(path, "it has no list 'providers'");
  return providers.map((entry: unknown, at) => {
    const { provider, tools } = fieldsOf(entry);
    if (typeof provider !== 'string') throw refusal(path, `providers[${at}] has no 'provider' with a name`);
    if (!Array.isArray(tools)) throw refusal(path, `the provider '${provider}' has no list 'tools'`);
    const rows = tools.map((tool: unknown, index) => {
      const listed = listedTool(tool);
      if (listed) return { ...listed, parameters: JSON.stringify(listed.parameters) };
      throw refusal(path, `tools[${index}] of '${provider}' has no name, or an 'inputSchema' that is no object`);
    });
    return { provider, tools: rows };
  });
}

function missingProviders(
  lists: readonly ToolList[],
  providers: McpToolsSource['providers'],
  path: string,
): readonly Finding[] {
  const known = lists.map(({ provider }) => provider);
  return (providers ?? []).flatMap((name, at) => {
    if (known.includes(name)) return [];
    const near = nearest(name, known);
    const remedy = near === undefined ? 'Name a provider of the file.' : `Did you mean '${near}'?`;
    const error = seedError('seed_provider_missing', `${path} has no tools of the provider '${name}'.`, remedy);
    return [{ ...error, field: ['source', 'providers', at] }];
  });
}

function noTools(path: string, providers: McpToolsSource['providers']): Finding {
  const whose = providers ? ` of ${providers.map((name) => `'${name}'`).join(', ')}` : '';
  return seedError('seed_empty', `${path} lists no tools${whose}.`, 'Add tools to the file, or name another one.');
}
