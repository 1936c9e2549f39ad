import { DataDesignerError, nearest, type PlannedTools } from '@data-designer/core';
import type { OfferedTool, ToolCatalog, ToolChoice } from './tool-catalog.ts';

/** A tool with the name that models use. */
type NamedTool = readonly [string, OfferedTool];

/**
 * The catalogue with the chosen tools alone, in its own order: requests offer no others, and calls of others are refused. Throws
 * `tool/not-offered` for names of no tool, and for names of several.
 */
export function chooseTools(
  { column, tools: names }: ToolChoice,
  { alias }: Pick<PlannedTools, 'alias'>,
  catalog: ToolCatalog,
): ToolCatalog {
  const { dropped } = catalog;
  const all: readonly NamedTool[] = [...catalog.tools, ...dropped.map((tool): NamedTool => [tool.fullName, tool])];
  // A server may list a tool twice: models get the first one.
  const offered = [...new Map(all.toReversed().map((named) => [fullNameOf(named[1]), named])).values()].toReversed();
  const found = new Map(names.map((name) => [name, offered.filter((tool) => isNamed(name, tool))]));
  const mistakes = [...found].flatMap(([name, meant]) => (meant.length === 1 ? [] : [mistakeIn(name, meant, offered)]));
  if (mistakes.length > 0) throw new DataDesignerError('tool/not-offered', { column, alias, tools: mistakes });
  const chosen = new Set([...found.values()].flatMap((meant) => meant.map(([, tool]) => tool)));
  const tools = new Map([...catalog.tools].filter(([, tool]) => chosen.has(tool)));
  return {
    schemas: catalog.schemas.filter(({ function: { name } }) => tools.has(name)),
    tools,
    hidden: new Map([...catalog.hidden, ...[...catalog.tools].filter(([name]) => !tools.has(name))]),
    dropped: dropped.filter((tool) => chosen.has(tool)),
  };
}

/** Whether a name is that of the provider, of the requests, or either with the name of the provider and a slash before it. */
function isNamed(name: string, [told, tool]: NamedTool): boolean {
  const own = [told, tool.fullName, tool.name];
  return own.includes(name) || own.some((one) => `${tool.provider}/${one}` === name);
}

function mistakeIn(name: string, meant: readonly NamedTool[], offered: readonly NamedTool[]) {
  if (meant.length > 0) return { name, meanings: meant.map(([, tool]) => fullNameOf(tool)) };
  const short = offered.flatMap(([told, tool]) => [told, tool.name]);
  const full = offered.map(([, tool]) => fullNameOf(tool));
  return { name, nearest: nearest(name, new Set(name.includes('/') ? full : short)) };
}

function fullNameOf({ provider, name }: OfferedTool): string {
  return `${provider}/${name}`;
}
