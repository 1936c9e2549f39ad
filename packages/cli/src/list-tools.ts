import { dirname } from 'node:path';
import type { Command } from 'commander';
import { loadPlugins } from '@data-designer/columns';
import {
  type Home,
  joinProviders,
  loadProviders,
  type MCPProvider,
  namedToolProviders,
  readHome,
} from '@data-designer/config';
import { NEVER, stringifyJson } from '@data-designer/core';
import { discardUnfinished, writeDurably } from '@data-designer/dataset';
import { builtInProviders, type Declaration, failureReport, pluginAddress } from '@data-designer/declaration';
import { filedTools, listProviderTools, type ProviderListing } from '@data-designer/engine';
import { fitText, pluralize, textTable } from '@data-designer/printing';
import type { CommandConfig } from './code-config/load-code-config.ts';
import { checkWritable } from './check-writable.ts';
import { printJson } from './display/print-results.ts';
import type { SourceFlags } from './flags/common-flags.ts';
import { isFlow, readConfig, readStageConfig } from './flags/read-common-flags.ts';
import { drainOnSignals, exitOnSignals } from './signals.ts';
import { findProviders } from './wizards/offered-tools.ts';

/** The flags of `mcp list-tools`. */
export interface ListToolsFlags extends SourceFlags {
  readonly json: boolean;
  readonly output?: string;
  readonly provider: readonly string[];
  readonly providers: readonly string[];
  readonly plugins: readonly string[];
}

/** Lists the tools of MCP providers as text or as JSON, and writes them to a file unless a provider fails. */
export async function listTools(source: string | undefined, flags: ListToolsFlags, command: Command): Promise<void> {
  const { output, json } = flags;
  if (output !== undefined) await checkWritable(dirname(output));
  const providers = await chosenProviders(source, flags);
  if (output !== undefined && providers.length === 0) command.error(`error: ${nothingOf(source)}`);
  const listings = await listed(providers);
  const failures = listings.filter((one) => 'failure' in one);
  const lists = listings.flatMap((one) =>
    'failure' in one ? [] : { provider: one.provider, ...filedTools(one.tools) },
  );
  const document = {
    listed_at: new Date().toISOString(),
    providers: lists.map(({ provider, tools }) => ({ provider, tools })),
  };
  if (json) printJson(failures.length > 0 ? { ...document, failed: failures.map(reportOf) } : document);
  else process.stdout.write(providers.length === 0 ? `Nothing to list: ${nothingOf(source)}.\n` : print(lists));
  for (const { provider, leftOut } of lists) {
    for (const { name, reason } of leftOut) {
      process.stderr.write(`Warning: the list lacks the tool '${name}' of '${provider}': ${reason}.\n`);
    }
  }
  for (const { failure } of failures) process.stderr.write(`Error [${failure.code}]: ${failure.message}\n`);
  if (failures.length > 0) process.exitCode = 1;
  if (output === undefined) return;
  if (failures.length > 0) {
    const some = `${failures.length} of ${pluralize(listings.length, 'provider')}`;
    process.stderr.write(
      `${output} is not written, because ${some} cannot be listed. --provider chooses the others.\n`,
    );
    return;
  }
  using _ = exitOnSignals(discardUnfinished);
  await writeDurably(output, `${stringifyJson(document, 2)}\n`);
  if (!json) process.stdout.write(`written: ${output}\n`);
}

async function listed(providers: readonly MCPProvider[]): Promise<readonly ProviderListing[]> {
  using interrupts = drainOnSignals();
  return providers.length === 0 ? [] : await listProviderTools(providers, { signal: interrupts.drain, drain: NEVER });
}

/** The providers to list. Throws `tool/unavailable` for a name that no provider has. */
async function chosenProviders(source: string | undefined, flags: ListToolsFlags): Promise<readonly MCPProvider[]> {
  const home = readHome();
  for (const warning of home.warnings) process.stderr.write(`Warning: ${warning}\n`);
  const given = flags.providers.map((file) => loadProviders(file));
  const own = joinProviders(...given, home.providers).tools.toReversed();
  const known = joinProviders(...given, home.providers, builtInProviders).tools.toReversed();
  const scope = source === undefined ? undefined : await providersOf(source, { flags, home, known });
  return flags.provider.length > 0 ? findProviders([...new Set(flags.provider)], scope ?? known) : (scope ?? own);
}

/** What a config may name, and how it is read. */
interface Known {
  readonly flags: ListToolsFlags;
  readonly home: Home;
  readonly known: readonly MCPProvider[];
}

/** The MCP providers that the tool configs of a config name, or those of all stages of a workflow. */
async function providersOf(source: string, { flags, home, known }: Known): Promise<readonly MCPProvider[]> {
  const registry = await loadPlugins(flags.plugins.map(pluginAddress));
  const { toolConfigs: knownTools } = home;
  const declaration = await readConfig(source, flags);
  const declared = isFlow(declaration) ? await stagesOf(declaration, flags) : [declaration];
  const named = declared.map(({ document, ...one }) => namedToolProviders(document, { ...one, registry, knownTools }));
  const environments = named.flatMap((one) => one.environments);
  const names = [...new Set(named.flatMap(({ providers }) => providers))];
  // A program has the tools of this name, unless a server has it.
  const isServer = (name: string): boolean => name !== 'functions' || known.some((one) => one.name === name);
  for (const name of new Set([...environments, ...names.filter((one) => !isServer(one))])) {
    process.stderr.write(`Not listed: '${name}', whose tools come from no MCP server.\n`);
  }
  return findProviders(names.filter(isServer), known);
}

/** The configs of the stages of a workflow. */
async function stagesOf(declaration: CommandConfig, flags: ListToolsFlags): Promise<readonly Declaration[]> {
  const { readFlow } = await import('@data-designer/workflow/flow-file');
  const { stages } = await readFlow(declaration, (path) => readStageConfig(path, flags));
  return stages.map(({ declared }) => declared);
}

/** Why there is nothing to list, and what to do. */
function nothingOf(source: string | undefined): string {
  if (source !== undefined) return `the tool configs of ${source} name no MCP provider`;
  return "there are no MCP providers: name a config, add --providers FILE, or add one with 'data-designer config mcp add'";
}

/** A failed listing as JSON output has it. */
function reportOf({ provider, failure }: Extract<ProviderListing, { failure: unknown }>) {
  return { provider, error: failureReport(failure) };
}

/** The longest description of a tool, in terminal columns. */
const WIDEST_DESCRIPTION = 80;

/** The tools of each provider, a line for each. */
function print(lists: readonly ({ readonly provider: string } & ReturnType<typeof filedTools>)[]): string {
  const parts = lists.map(({ provider, tools }) => {
    const lines = textTable(tools.map(({ name, description }) => [name, fitText(description, WIDEST_DESCRIPTION)]));
    return [`${provider}: ${pluralize(tools.length, 'tool')}`, ...lines.map((line) => `  ${line}`)].join('\n');
  });
  return parts.map((part) => `${part}\n`).join('\n');
}
