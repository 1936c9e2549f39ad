import { fieldsOf, itemsOf } from './json-fields.ts';

/** The answer of an MCP server to `tools/list`, which does not name the server. */
interface ToolsAnswer {
  readonly tools: unknown;
  /** Whether it is not one page of several. */
  readonly isWhole: boolean;
}

/** The answer of a server to `tools/list` in a parsed file; undefined for a file with the lists of named providers, and others. */
export function toolsAnswer(parsed: unknown): ToolsAnswer | undefined {
  const { providers, tools, nextCursor } = fieldsOf(parsed);
  if (providers !== undefined || tools === undefined) return undefined;
  return { tools, isWhole: nextCursor === undefined || nextCursor === null };
}

/** The tools of a provider in a parsed file, of one server or with the lists of named providers; undefined if it has none. */
export function toolsOfProvider(parsed: unknown, provider: string): unknown {
  const entries = itemsOf(fieldsOf(parsed)['providers']);
  const { tools } = toolsAnswer(parsed) ?? fieldsOf(entries.find((entry) => fieldsOf(entry)['provider'] === provider));
  return tools;
}
