import { type Gateway, type Plan, type PlannedModel, type StopSignals, untilStopped } from '@data-designer/core';
import { probeStructuredOutput } from '@data-designer/models';
import { protocolOf } from '@data-designer/models/protocols';
import { PortGateway } from '@data-designer/gateway/worker';
import type { RunGateway } from '@data-designer/gateway';
import type { UsageByAlias } from '@data-designer/dataset';
import type { PreviewOptions } from '../preview-options.ts';
import { admitProbe } from './admit-probe.ts';

/** The options of the probes. */
type FindStructuredOutputOptions = StopSignals & Pick<PreviewOptions, 'providers' | 'skippedProbes'>;

/** A plan with the learned capabilities of its endpoints, and the usage of the probes. */
export interface LearnedPlan {
  readonly plan: Plan;
  readonly usage: UsageByAlias;
}

/** The number of the channel for probes: no row group has it, and nothing is journaled. */
const PROBE_GROUP = -1;

/**
 * Probes which endpoints support JSON Schemas, with one small request per alias, where a column could use it and neither
 * the declaration nor an earlier run says. Unknown where the endpoint does not answer. Servers started with a run are not
 * probed. Throws `run/*` failures.
 */
export async function findStructuredOutput(
  plan: Plan,
  gateway: RunGateway,
  options: FindStructuredOutputOptions,
): Promise<LearnedPlan> {
  const asked = modelsToAsk(plan, options);
  if (asked.length === 0) return { plan, usage: {} };
  const found = await withChannel(gateway, (channel) => {
    const answers = Promise.all(asked.map((model) => askEndpoint(channel, model)));
    const spent = gateway.spent.then((reason) => Promise.reject(reason));
    return untilStopped(Promise.race([answers, gateway.lost, spent]), options, () => Promise.resolve());
  });
  const models = Object.fromEntries(found.map(({ model }) => [model.alias, model]));
  const usage = Object.fromEntries(found.map(({ model, usage: took }) => [model.alias, took]));
  return { plan: { ...plan, models: { ...plan.models, ...models } }, usage };
}

/** Opens a channel for requests before any row, and closes it in any case. */
async function withChannel<Result>(gateway: RunGateway, ask: (channel: Gateway) => Promise<Result>): Promise<Result> {
  using channel = new PortGateway(gateway.openGroup(PROBE_GROUP, null), { isObserved: true });
  try {
    return await ask(channel);
  } finally {
    // A lost gateway has closed it.
    await gateway.closeGroup(PROBE_GROUP, { keepJournal: false }).catch(() => {});
  }
}

async function askEndpoint(channel: Gateway, model: PlannedModel) {
  const probe = await admitProbe(channel, model);
  const { structuredOutput, usage } = await probeStructuredOutput(...probe).finally(() => channel.cancel(probe[2]));
  return { model: { ...model, structuredOutput }, usage };
}

function modelsToAsk(plan: Plan, { providers, skippedProbes }: FindStructuredOutputOptions): readonly PlannedModel[] {
  const ofColumns = plan.columns.flatMap(({ requires }) => (requires.shaped ? requires.models : []));
  const ofWorlds = (plan.environments ?? []).flatMap(({ models = [] }) => models);
  const shaped = new Set([...ofColumns, ...ofWorlds]);
  const given = new Set(providers.models.map(({ name }) => name));
  const reachable = new Set(plan.resources.flatMap(({ id, provider }) => (given.has(provider) ? [id] : [])));
  return Object.values(plan.models).filter(
    ({ alias, structuredOutput, generationType, protocol, resource }) =>
      structuredOutput === null &&
      generationType === 'chat-completion' &&
      protocolOf(protocol).takesSchemas &&
      shaped.has(alias) &&
      !skippedProbes.has(alias) &&
      reachable.has(resource),
  );
}
