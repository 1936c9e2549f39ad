import { DataDesignerError, type Gateway, type Plan, type PlannedModel } from '@data-designer/core';
import { probeStructuredOutput } from '@data-designer/models';
import { refuseStopped } from '../stop-signals.ts';
import { admitProbe, type ProbeOptions, throughGateway } from './through-gateway.ts';

/** Which models are asked. */
interface FindStructuredOutputOptions extends ProbeOptions {
  /** Aliases of models that are not to be asked. */
  readonly skipped: ReadonlyMap<string, string>;
}

/**
 * The plan with what the endpoints of its models can do about JSON Schemas, where a column could use that and the
 * declaration does not say: one small request for each alias. An endpoint that does not answer cannot do it. Servers
 * that are started with a run are not asked. Throws as `throughGateway` does.
 */
export async function findStructuredOutput(plan: Plan, options: FindStructuredOutputOptions): Promise<Plan> {
  const asked = modelsToAsk(plan, options);
  if (asked.length === 0) return plan;
  refuseStopped(options);
  const used = new Set(asked.map(({ resource }) => resource));
  const resources = plan.resources.filter(({ id }) => used.has(id));
  const ask = (gateway: Gateway) => Promise.all(asked.map((model) => askEndpoint(gateway, model)));
  const found = await throughGateway(plan, { resources, ask }, options);
  return { ...plan, models: { ...plan.models, ...Object.fromEntries(found.map((model) => [model.alias, model])) } };
}

function modelsToAsk(plan: Plan, { providers, skipped }: FindStructuredOutputOptions): readonly PlannedModel[] {
  const shaped = new Set(plan.columns.flatMap(({ spends }) => (spends.shaped ? spends.models : [])));
  const given = new Set(providers.models.map(({ name }) => name));
  const reachable = new Set(plan.resources.flatMap(({ id, provider }) => (given.has(provider) ? [id] : [])));
  return Object.values(plan.models).filter(
    ({ alias, structuredOutput, generationType, wire, resource }) =>
      structuredOutput === null &&
      generationType === 'chat-completion' &&
      wire === 'openai' &&
      shaped.has(alias) &&
      !skipped.has(alias) &&
      reachable.has(resource),
  );
}

async function askEndpoint(gateway: Gateway, model: PlannedModel): Promise<PlannedModel> {
  const probe = await admitProbe(gateway, model);
  try {
    return { ...model, structuredOutput: await probeStructuredOutput(...probe) };
  } catch (thrown) {
    if (DataDesignerError.fromUnknown(thrown).code === 'run/aborted') throw thrown;
    return { ...model, structuredOutput: false };
  }
}
