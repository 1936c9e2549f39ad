import { type Plan, variablesIn } from '@data-designer/core';
import type { PartOptions } from './joined-machine.ts';

/** What a machine brings to a run. */
type OwnParts = Pick<PartOptions, 'providers' | 'modelServers' | 'localTools'>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What this machine lacks of what the requests of a plan need: providers, their type, and the variables of their keys. A machine
 * without them would fail cells that the others can make.
 */
export function lackedBy(
  plan: Pick<Plan, 'resources' | 'models'>,
  own: OwnParts,
  environment: Environment = process.env,
): readonly string[] {
  const used = (kind: 'model' | 'tools') =>
    new Set(plan.resources.flatMap(({ kind: of, provider, rowServer = provider }) => (of === kind ? [rowServer] : [])));
  const models = [...used('model')].flatMap((name) => lackedOfModels(name, plan, { ...own, environment }));
  const tools = [...used('tools')].flatMap((name) => lackedOfTools(name, { ...own, environment }));
  return [...new Set([...models, ...tools])];
}

function lackedOfModels(
  name: string,
  { resources, models }: Pick<Plan, 'resources' | 'models'>,
  { providers, modelServers, environment }: OwnParts & { readonly environment: Environment },
): readonly string[] {
  const provider = providers.models.find((one) => one.name === name);
  if (!provider) return modelServers.some((server) => server.name === name) ? [] : [`the model provider '${name}'`];
  const owners = new Map(resources.map((resource) => [resource.id, resource.provider]));
  const planned = Object.values(models).find(({ resource }) => owners.get(resource) === name)?.protocol;
  const differs = planned !== undefined && planned !== provider.providerType;
  const type = differs ? [`the provider_type ${planned} of the model provider '${name}'`] : [];
  const texts = [provider.apiKey, ...Object.values(provider.extraHeaders ?? {})];
  return [...type, ...unset(texts, { environment, owner: `the model provider '${name}'` })];
}

function lackedOfTools(
  name: string,
  { providers, localTools = [], environment }: OwnParts & { readonly environment: Environment },
): readonly string[] {
  if (localTools.some((local) => local.name === name)) return [];
  const provider = providers.tools.find((one) => one.name === name);
  if (!provider) return [`the tool provider '${name}'`];
  const texts =
    provider.providerType === 'stdio'
      ? Object.values(provider.env)
      : [provider.apiKey, ...Object.values(provider.headers ?? {})];
  return unset(texts, { environment, owner: `the tool provider '${name}'` });
}

/** The variables that the texts name and the environment lacks. */
function unset(
  texts: readonly (string | null | undefined)[],
  { environment, owner }: { readonly environment: Environment; readonly owner: string },
): readonly string[] {
  const names = texts.flatMap((text) => variablesIn(text ?? ''));
  return names.flatMap((name) => (Object.hasOwn(environment, name) ? [] : [`the variable ${name} of ${owner}`]));
}
