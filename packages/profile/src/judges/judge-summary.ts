import { createHash } from 'node:crypto';
import { DataDesignerError, type Gateway, type Plan, type PlannedProfiler, Random } from '@data-designer/core';
import { ModelRegistry, pricedUsage } from '@data-designer/models';
import { knownCostOf, type ProbeOptions, withGateway } from '@data-designer/engine';
import type { UsageByAlias } from '@data-designer/dataset';
import type { ScoreDistribution } from '../dataset-profile.ts';
import type { Judgement } from './judge-sample.ts';
import { SAMPLE_SEED } from '../table/sample-rows.ts';

/** The most words of a summary (as in NeMo Data Designer). */
const MAX_WORDS = 75;

const SYSTEM = `You distil the feedback of reviewers. You say plainly what their reasons have in common, what is good and what is not, without lists and without quoting them.`;

/** A request to summarise one score of a judge column. */
export interface SummaryRequest {
  readonly profiler: PlannedProfiler;
  readonly column: string;
  readonly score: string;
  readonly prompt: string;
}

/** A summary, or why it failed. */
export interface Summary {
  readonly text: string;
  readonly isFailed: boolean;
}

/** The key of a stored summary: the same prompt to the same model is not paid for again. */
export function summaryKey({ profiler, prompt }: SummaryRequest): string {
  return createHash('sha256').update(`${profiler.resource.id}\0${prompt}`).digest('hex');
}

/** The prompt about a score. */
export function summaryPrompt(
  score: string,
  { records, options, numbers }: ScoreDistribution,
  judgements: readonly Judgement[],
): string {
  const given = options.map(({ value, records: count }) => `${value}: ${count}`).join(', ');
  const spread = numbers ? ` Mean ${numbers.mean.toFixed(2)}, from ${numbers.min} to ${numbers.max}.` : '';
  const reasons = judgements.map(({ score: value, reasoning }) => `- (${value}) ${reasoning.trim()}`);
  return [
    `${records} records were judged by '${score}'. How often each score was given: ${given}.${spread}`,
    `Some of the reasons:\n${reasons.join('\n')}`,
    `Say in plain text, in fewer than ${MAX_WORDS} words, what these reasons tell about the dataset.`,
  ].join('\n\n');
}

/** How summaries are requested. */
export interface SummaryOptions extends ProbeOptions {
  /** The known cost of the dataset so far. */
  readonly spent: number;
}

/** Requests summaries in parallel, or with a budget one by one; a failed summary says why. Throws `run/aborted`. */
export async function requestSummaries(
  plan: Plan,
  requests: readonly SummaryRequest[],
  { spent, ...options }: SummaryOptions,
): Promise<{ readonly summaries: readonly Summary[]; readonly usage: UsageByAlias }> {
  const profilers = [...new Map(requests.map(({ profiler }) => [profiler.resource.id, profiler])).values()];
  let usage: UsageByAlias = {};
  const ask = async (gateway: Gateway): Promise<readonly Summary[]> => {
    const models = Object.fromEntries(requests.map(({ profiler: { model } }) => [model.alias, model]));
    const registry = new ModelRegistry(models, gateway, { maxCorrectionSteps: 0, maxConversationRestarts: 1 });
    const costNow = () => spent + knownCostOf(pricedUsage(registry.usage(), models));
    const summaries = await requestAll(requests, (one, row) => requestOne(registry, one, row), {
      maxCost: plan.maxCost,
      costNow,
    });
    usage = registry.usage();
    return summaries;
  };
  try {
    const resources = profilers.map(({ resource }) => resource);
    return { summaries: await withGateway(plan, { resources, ask }, options), usage };
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code === 'run/aborted') throw failure;
    return { summaries: requests.map(() => failed(failure)), usage };
  }
}

interface Budget {
  readonly maxCost: number | null;
  /** The cost so far. */
  readonly costNow: () => number;
}

type RequestOne = (request: SummaryRequest, row: number) => Promise<Summary>;

/** With a budget, requests one after another: at most one answer goes beyond it. */
async function requestAll(
  requests: readonly SummaryRequest[],
  ask: RequestOne,
  { maxCost, costNow }: Budget,
): Promise<readonly Summary[]> {
  if (maxCost === null) return Promise.all(requests.map(ask));
  const summaries: Summary[] = [];
  for (const [row, request] of requests.entries()) {
    const cost = costNow();
    summaries.push(cost < maxCost ? await ask(request, row) : overBudget(maxCost, cost));
  }
  return summaries;
}

async function requestOne(
  registry: ModelRegistry,
  { profiler, column, score, prompt }: SummaryRequest,
  row: number,
): Promise<Summary> {
  const random = Random.of(SAMPLE_SEED, `${column}/${score}`);
  let call = 0;
  const context = {
    row,
    column: `profile of ${column}`,
    signal: new AbortController().signal,
    nextCall: () => call++,
    randomOf: (at: number) => random.copy().at(row, 0, at + 1),
  };
  const { alias } = profiler.model;
  const question = {
    modelAlias: alias,
    prompt: () => prompt,
    systemPrompt: () => SYSTEM,
    parse: (text: string) => text.trim(),
  };
  return registry
    .facade(alias)
    .generate(question, context)
    .then(
      ({ value }) => ({ text: value, isFailed: false }),
      (thrown: unknown) => failed(DataDesignerError.fromUnknown(thrown)),
    );
}

function overBudget(maxCost: number, cost: number): Summary {
  const text = `There is no summary: the budget of ${maxCost} is spent, as the answers cost ${Number(cost.toPrecision(6))}. Raise 'max_cost' and make the report again.`;
  return { text, isFailed: true };
}

function failed({ message }: DataDesignerError): Summary {
  return { text: `There is no summary: ${message}`, isFailed: true };
}
