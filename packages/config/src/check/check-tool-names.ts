import { knownNames } from '@data-designer/core';
import { kindOf } from '@data-designer/environments';
import type { ToolConfig } from '../schemas/tool-config.ts';
import { addAt, addToColumn, type Check, type OfferedNames, runError } from './check.ts';

/** Checks the names of tools against providers whose tools are known without starting a server. */
export function checkToolNames(check: Check): void {
  const used = new Set(check.facts.flatMap(({ requires }) => requires.tools));
  // Files are read for them: only a config with tools needs them.
  const ofProviders: Offers = check.providers?.offered?.() ?? new Map<string, OfferedNames>();
  const offers = new Map<string, readonly OfferedName[] | undefined>();
  check.config.toolConfigs.forEach((config, index) => {
    const { toolAlias: alias, allowTools } = config;
    const offered = offeredBy(check, config, ofProviders);
    offers.set(alias, offered);
    (allowTools ?? []).forEach((tool, at) => {
      const told = offered && notOffered(tool, { alias, offered });
      const level = used.has(alias) ? 'ERROR' : 'WARNING';
      if (told) addAt(check, ['toolConfigs', index, 'allowTools', at], { ...told, level });
    });
  });
  const columns = new Map(check.config.columns.map((column) => [column.name, column]));
  for (const { column, type } of check.facts) {
    for (const { alias, tool, field, column: owner = column.name } of type.toolNames?.(column, columns) ?? []) {
      const offered = offers.get(alias);
      const told = offered && notOffered(tool, { alias, offered });
      if (told) addToColumn(check, owner, { field, ...told });
    }
  }
}

/** A tool by every name that a config may give it, the one that models see first. */
type OfferedName = readonly [told: string, ...others: string[]];

type Offers = ReadonlyMap<string, OfferedNames>;

/** The tools of all providers of a tool config; undefined if those of one are unknown. */
function offeredBy(check: Check, { providers }: ToolConfig, offers: Offers): readonly OfferedName[] | undefined {
  const offered: OfferedName[] = [];
  for (const provider of providers) {
    const found = toolsOf(check, provider, offers);
    if (!found) return undefined;
    const { names, prefix = '' } = found;
    offered.push(...names.map((name): OfferedName => [`${prefix}${name}`, name, `${provider}/${name}`]));
  }
  return offered.length === 0 ? undefined : offered;
}

/** An environment has the tools that it declares, unless an MCP provider of its name hides them. */
function toolsOf({ config, providers }: Check, name: string, offers: Offers): OfferedNames | undefined {
  const environment = config.environments?.find((one) => one.name === name);
  if (!environment || providers?.tools.includes(name)) return offers.get(name);
  const names = kindOf(environment)
    .tools(environment)
    ?.map((tool) => tool.name);
  return names && { names, prefix: environment.toolPrefix };
}

function notOffered(
  tool: string,
  { alias, offered }: { readonly alias: string; readonly offered: readonly OfferedName[] },
): ReturnType<typeof runError> | undefined {
  if (offered.some((names) => names.includes(tool))) return undefined;
  const message = `no provider of the tools '${alias}' offers a tool '${tool}'.`;
  return runError('unknown_tool', message, knownNames(tool, [...new Set(offered.map(([told]) => told))]));
}
