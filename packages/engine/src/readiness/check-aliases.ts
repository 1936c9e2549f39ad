import {
  DataDesignerError,
  type FailureCode,
  type Gateway,
  isFailure,
  modelsOf,
  type Plan,
  type PlannedModel,
  refuseStopped,
  type Resource,
  type ToolSchema,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { probeModel, probeTools } from '@data-designer/models';
import { checkChoices } from '../connect/list-tools.ts';
import { unsavedFailure } from '../unsaved-failure.ts';
import { admitProbe } from './admit-probe.ts';
import { type ProbeOptions, withGateway } from './with-gateway.ts';

/** The result of checking an alias. */
export interface AliasCheck {
  /** Whether the alias names a model or a set of tools. */
  readonly kind: 'model' | 'tools';
  /** The alias. */
  readonly alias: string;
  /** `ok` if it answered, `failed` if not, `skipped` if it was not asked. */
  readonly status: 'ok' | 'failed' | 'skipped';
  /** The failure's code; null without one. */
  readonly code: FailureCode | null;
  /** The failure, or why the alias was skipped; null otherwise. */
  readonly message: string | null;
  /** The tools that a tool alias offers to models; null for a model, and if they could not be listed. */
  readonly tools: readonly string[] | null;
}

/** The options of a check. */
interface CheckAliasesOptions extends ProbeOptions {
  /** Models that are not asked, by alias, with the reason. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** Aliases that share a gateway, their resources, and how each is checked. */
interface Party {
  readonly kind: AliasCheck['kind'];
  readonly aliases: readonly string[];
  readonly resources: readonly Resource[];
  readonly ask: (gateway: Gateway, alias: string) => Promise<readonly ToolSchema[] | null>;
  /** Called when all aliases are checked. */
  readonly end?: () => void;
}

/** The tools of each alias once they are listed; none where that failed. */
type ListedAliases = ReadonlyMap<string, PromiseWithResolvers<readonly ToolSchema[]>>;

/** A plan that includes the models of its profilers. */
function withProfilers(plan: Plan): Plan {
  const profilers = (plan.profilers ?? []).filter(({ sampleSize }) => sampleSize !== null);
  const known = new Set(plan.resources.map(({ id }) => id));
  const further = profilers.flatMap(({ resource }) => (known.has(resource.id) ? [] : resource));
  const resources = new Map(further.map((resource) => [resource.id, resource]));
  return { ...plan, models: modelsOf({ ...plan, profilers }), resources: [...plan.resources, ...resources.values()] };
}

/**
 * Sends a small request to every model alias of a plan, profilers included, and lists the tools of every tool alias,
 * concurrently; sends the tools once to each model that uses them. Each model provider and tool alias has a gateway of its
 * own, so that a missing key is reported for its aliases only. Throws `run/aborted` only.
 */
export async function checkAliases(given: Plan, options: CheckAliasesOptions): Promise<readonly AliasCheck[]> {
  refuseStopped(options);
  const plan = withProfilers(given);
  const skipped = Object.keys(plan.models).flatMap((alias) => {
    const message = options.skipped.get(alias);
    return message === undefined
      ? []
      : [{ kind: 'model', alias, status: 'skipped', code: null, message, tools: null } as const];
  });
  const listed: ListedAliases = new Map(Object.keys(plan.tools).map((alias) => [alias, Promise.withResolvers()]));
  const worlds = await environmentTools(plan);
  const ofRows = toolsOfRows(plan, worlds);
  for (const { alias } of ofRows) listed.get(alias)?.resolve([]);
  const left = new Set(ofRows.map(({ alias }) => alias));
  const tools = toolParties(plan, { listed, worlds }).filter(({ aliases }) => !aliases.some((one) => left.has(one)));
  const parties = [...modelParties(plan, { ...options, listed }), ...tools];
  const checked = await Promise.all(parties.map((party) => checkParty(plan, party, options)));
  const all = [...skipped, ...checked.flat(), ...ofRows];
  const models = Object.keys(plan.models).flatMap((name) =>
    all.filter((one) => one.kind === 'model' && one.alias === name),
  );
  return [...models, ...all.filter(({ kind }) => kind === 'tools')];
}

/** Checks the aliases of a party; all fail where its gateway cannot start. */
async function checkParty(plan: Plan, party: Party, options: ProbeOptions): Promise<readonly AliasCheck[]> {
  const { kind, aliases, resources } = party;
  const failed = (alias: string, thrown: unknown): AliasCheck => {
    const { code, message } = unsavedFailure(DataDesignerError.fromUnknown(thrown));
    return { kind, alias, status: 'failed', code, message, tools: null };
  };
  const check = (gateway: Gateway, alias: string): Promise<AliasCheck> =>
    party.ask(gateway, alias).then(
      (schemas) => {
        const tools = schemas && schemas.map(({ function: { name } }) => name);
        return { kind, alias, status: 'ok', code: null, message: null, tools };
      },
      (thrown: unknown) => failed(alias, thrown),
    );
  const ask = (gateway: Gateway) => Promise.all(aliases.map((alias) => check(gateway, alias)));
  try {
    return await withGateway(plan, { resources, ask }, options);
  } catch (thrown) {
    if (isFailure(thrown, 'run/aborted')) throw thrown;
    return aliases.map((alias) => failed(alias, thrown));
  } finally {
    party.end?.();
  }
}

function modelParties(
  plan: Plan,
  { skipped, listed }: CheckAliasesOptions & { readonly listed: ListedAliases },
): readonly Party[] {
  const { models, resources } = plan;
  const providers = new Set(resources.flatMap(({ kind, provider }) => (kind === 'model' ? [provider] : [])));
  return [...providers].flatMap((provider) => {
    const own = resources.filter((resource) => resource.kind === 'model' && resource.provider === provider);
    const ids = new Set(own.map(({ id }) => id));
    const asked = Object.values(models).filter(({ alias, resource }) => ids.has(resource) && !skipped.has(alias));
    const aliases = asked.map(({ alias }) => alias);
    if (aliases.length === 0) return [];
    const ask = async (gateway: Gateway, alias: string): Promise<null> => {
      const model = models[alias] as PlannedModel;
      await greet(gateway, model);
      for (const [index, tools] of toolsOf(plan, alias).entries()) {
        await offer(gateway, model, { tools: (await listed.get(tools)?.promise) ?? [], call: index + 1 });
      }
      return null;
    };
    return [{ kind: 'model', aliases, resources: own, ask }];
  });
}

async function greet(gateway: Gateway, model: PlannedModel): Promise<void> {
  const probe = await admitProbe(gateway, model);
  try {
    await probeModel(...probe);
  } finally {
    // Releases the permit of a probe that sent no request.
    gateway.cancel(probe[2]);
  }
}

/** The tool aliases that the model's columns offer it. */
function toolsOf({ columns }: Plan, model: string): readonly string[] {
  const using = columns.filter(({ requires: { models, worldModels = [] } }) => {
    return models.includes(model) && !worldModels.includes(model);
  });
  return [...new Set(using.flatMap(({ requires }) => requires.tools))];
}

async function offer(
  gateway: Gateway,
  model: PlannedModel,
  { tools, call }: { readonly tools: readonly ToolSchema[]; readonly call: number },
): Promise<void> {
  if (tools.length === 0) return;
  const [client, probed, at] = await admitProbe(gateway, model, call);
  await probeTools(client, probed, { tools, at }).finally(() => gateway.cancel(at));
}

/** The tools of environments by their names; none where rows bring them. */
type EnvironmentTools = ReadonlyMap<string, readonly ToolSchema[]>;

async function environmentTools({ environments = [] }: Plan): Promise<EnvironmentTools> {
  if (environments.length === 0) return new Map();
  return (await import('../environments/environment-tools.ts')).plannedTools(environments);
}

/** The tool aliases whose tools are not known before a row is. */
function toolsOfRows({ tools }: Plan, worlds: EnvironmentTools): readonly AliasCheck[] {
  return Object.values(tools).flatMap(({ alias, providers }): AliasCheck[] => {
    const environment = providers.find((name) => worlds.get(name)?.length === 0);
    if (environment === undefined) return [];
    const message = `the tools of the environment '${environment}' come from the rows`;
    return [{ kind: 'tools', alias, status: 'skipped', code: null, message, tools: null }];
  });
}

function toolParties(
  { tools, resources, columns }: Plan,
  { listed, worlds }: { readonly listed: ListedAliases; readonly worlds: EnvironmentTools },
): readonly Party[] {
  return Object.values(tools).map(({ alias, providers }) => ({
    kind: 'tools',
    aliases: [alias],
    resources: resources.filter(({ kind, provider }) => kind === 'tools' && providers.includes(provider)),
    ask: async (gateway) => {
      const listTools = async (name: string) => worlds.get(name) ?? gateway.listTools(name);
      const facade = new MCPRegistry(tools, { listTools } as Gateway).get(alias);
      const schemas = await facade.getToolSchemas();
      await checkChoices({ columns }, [facade]);
      listed.get(alias)?.resolve(schemas);
      return schemas;
    },
    end: () => listed.get(alias)?.resolve([]),
  }));
}
