import {
  DataDesignerError,
  type Gateway,
  type Plan,
  stringifyJson,
  TOOL_DEFAULTS,
  type ToolSchema,
} from '@data-designer/core';
import { fitTools, rulesOf } from '@data-designer/models/protocols';
import { type MCPFacade, MCPRegistry } from '@data-designer/mcp';
import type { FrozenTools } from '@data-designer/dataset';
import type { RunGateway } from '@data-designer/gateway';
import type { RunEvent } from '../run-event.ts';
import { byReason, type DroppedTool } from './dropped-tools.ts';

/** What a listing reports to, and what it need not ask for. */
interface ListingOptions {
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** The tools that files tell of, by provider: their servers are not started. */
  readonly filed?: FrozenTools;
}

/**
 * Lists the tools of every provider of a plan and checks every tool alias against them, before the first request. Throws
 * `tool/unavailable`, `tool/duplicate`, `tool/unknown` or `tool/too-many`; reports schemas that do not compile and tools that are not offered.
 */
export async function listAllTools(
  plan: Plan,
  gateway: Pick<RunGateway, 'listTools'>,
  { onEvent = () => {}, filed = {} }: ListingOptions = {},
): Promise<FrozenTools> {
  const providers = plan.resources.filter(({ kind }) => kind === 'tools').map(({ provider }) => provider);
  const always = offeredToAll(plan);
  const listed: [string, readonly ToolSchema[]][] = [];
  const left = providers.entries();
  const listRest = async (): Promise<void> => {
    // All of them take from one list.
    for (const [index, name] of left) {
      const own = Object.hasOwn(filed, name) ? filed[name] : undefined;
      listed[index] = [name, own ?? (await gateway.listTools(name, { rests: !always.has(name) }))];
    }
  };
  await Promise.all(Array.from({ length: TOOL_DEFAULTS.servers }, listRest));
  const worlds = plan.environments
    ? (await import('../environments/environment-tools.ts')).plannedTools(plan.environments)
    : new Map<string, readonly ToolSchema[]>();
  const tools = new Map([...listed, ...worlds]);
  const registry = new MCPRegistry(plan.tools, { listTools: async (name) => tools.get(name) ?? [] } as Gateway);
  // Tools that rows bring are known once a row is.
  const ofRows = new Set([...worlds].flatMap(([name, own]) => (own.length === 0 ? [name] : [])));
  const facades = Object.keys(plan.tools)
    .map((alias) => registry.get(alias))
    .filter(({ providers: named }) => !named.some((name) => ofRows.has(name)));
  await checkChoices(plan, facades);
  const unchecked = await Promise.all(facades.map((facade) => facade.getUncheckedTools()));
  const told = new Map(unchecked.flat().map(({ provider, name }) => [`${provider}/${name}`, { provider, tool: name }]));
  for (const tool of told.values()) onEvent({ type: 'tool-schema-fail', ...tool });
  for (const group of byReason(await droppedIn(plan, facades))) onEvent({ type: 'tool-drop', ...group });
  return Object.fromEntries(tools);
}

/** The providers whose tools some column offers to every row; rows choose among those of the others. */
function offeredToAll({ columns, tools }: Plan): ReadonlySet<string> {
  const aliases = columns.flatMap(({ requires }) => {
    const chosen = new Set(requires.toolChoices?.map(({ alias }) => alias));
    return requires.tools.filter((alias) => !chosen.has(alias));
  });
  return new Set(aliases.flatMap((alias) => tools[alias]?.providers ?? []));
}

/** Throws `tool/not-offered` for tools that a column of a plan chooses by name and an alias does not have. */
export async function checkChoices(
  { columns }: Pick<Plan, 'columns'>,
  facades: readonly Pick<MCPFacade, 'toolAlias' | 'only'>[],
): Promise<void> {
  for (const { name: column, requires } of columns) {
    for (const { alias, tools } of requires.toolChoices ?? []) {
      const facade = facades.find(({ toolAlias }) => toolAlias === alias);
      if (tools) await facade?.only({ column, tools }).getToolSchemas();
    }
  }
}

/** The tools of a plan that requests leave out, as a run listed them. */
export async function droppedTools(plan: Plan, tools: FrozenTools = {}): Promise<readonly DroppedTool[]> {
  const aliases = Object.keys(plan.tools);
  if (aliases.length === 0 || Object.keys(tools).length === 0) return [];
  const registry = new MCPRegistry(plan.tools, { listTools: async (name) => tools[name] ?? [] } as Gateway);
  return droppedIn(
    plan,
    aliases.map((alias) => registry.get(alias)),
  );
}

async function droppedIn(plan: Plan, facades: readonly MCPFacade[]): Promise<readonly DroppedTool[]> {
  const dropped = await Promise.all([
    ...facades.map((facade) => facade.getDroppedTools()),
    ...facades.map((facade) => toolsOverLimits(plan, facade)),
  ]);
  const tools = new Map(dropped.flat().map((tool) => [`${tool.provider}/${tool.name}`, tool]));
  return [...tools.values()].map(({ provider, name: tool, dropped: reason = '' }) => ({ provider, tool, reason }));
}

/** A tool that requests leave out, with the reason. */
type LeftOutTool = Awaited<ReturnType<MCPFacade['getDroppedTools']>>[number];

/** The tools beyond the number that a model's endpoint takes; throws `tool/too-many` if the tool config names them. */
async function toolsOverLimits(plan: Plan, facade: MCPFacade): Promise<readonly LeftOutTool[]> {
  const [schemas, tools] = await Promise.all([facade.getToolSchemas(), facade.getOfferedTools()]);
  return modelsWithTools(plan, facade.toolAlias).flatMap((model) => {
    const rules = rulesOf(model);
    const { leftOut } = fitTools(schemas, rules);
    const most = rules.maxTools ?? schemas.length;
    if (leftOut.length > 0 && facade.allowTools !== null) {
      const { toolAlias: alias } = facade;
      throw new DataDesignerError('tool/too-many', { alias, model: model.alias, tools: schemas.length, most });
    }
    const dropped = `the endpoint of model '${model.alias}' takes at most ${most} tools, and ${schemas.length} are listed; name those to offer in allow_tools, or set request_rules of the model's provider`;
    return leftOut.flatMap((schema) => {
      const tool = tools.get(schema.function.name);
      return tool ? [{ provider: tool.provider, name: tool.name, dropped }] : [];
    });
  });
}

function modelsWithTools(plan: Plan, alias: string): readonly Plan['models'][string][] {
  const users = plan.columns.filter(({ requires }) => requires.tools.includes(alias));
  const names = new Set(
    users.flatMap(({ requires: { models, worldModels = [] } }) => models.filter((one) => !worldModels.includes(one))),
  );
  return Object.values(plan.models).filter((model) => names.has(model.alias));
}

/** The providers whose tools have changed. */
export function changedTools(frozen: FrozenTools, now: FrozenTools): string[] {
  return Object.keys(now).filter((provider) => offered(frozen[provider]) !== offered(now[provider]));
}

/** A provider's tools as it describes them, without what is derived from them. */
function offered(tools: readonly ToolSchema[] = []): string {
  return stringifyJson(tools.map(({ type, function: tool }) => ({ type, function: tool })));
}
