import { createHash } from 'node:crypto';
import { DataDesignerError, type Gateway, type Plan, type PlannedProfiler, Random } from '@data-designer/core';
import { ModelRegistry } from '@data-designer/models';
import { type ProbeOptions, throughGateway } from '../readiness/through-gateway.ts';
import type { UsageByAlias } from '../store/usage-log.ts';
import type { ScoreDistribution } from './dataset-profile.ts';
import type { Judgement } from './judge-sample.ts';
import { SAMPLE_SEED } from './sample-rows.ts';

/** Words that a summary may have (as in NeMo Data Designer). */
const MAX_WORDS = 75;

const SYSTEM = `You distil the feedback of reviewers. You say plainly what their reasons have in common, what is good and what is not, without lists and without quoting them.`;

/** What a model is to summarise: one score of a judge column. */
export interface SummaryRequest {
  readonly profiler: PlannedProfiler;
  readonly column: string;
  readonly score: string;
  readonly prompt: string;
}

/** What came of it. */
export interface Summary {
  readonly text: string;
  readonly isFailed: boolean;
}

/** What a request is kept under: the same model asked the same is not paid for again. */
export function summaryKey({ profiler, prompt }: SummaryRequest): string {
  return createHash('sha256').update(`${profiler.resource.id}\0${prompt}`).digest('hex');
}

/** What a model is asked about a score. */
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

/** Asks for all summaries side by side, in the order of the requests; one that fails says why. Throws `run/aborted`. */
export async function askSummaries(
  plan: Plan,
  requests: readonly SummaryRequest[],
  options: ProbeOptions,
): Promise<{ readonly summaries: readonly Summary[]; readonly usage: UsageByAlias }> {
  const profilers = [...new Map(requests.map(({ profiler }) => [profiler.resource.id, profiler])).values()];
  let usage: UsageByAlias = {};
  const ask = async (gateway: Gateway): Promise<readonly Summary[]> => {
    const models = Object.fromEntries(requests.map(({ profiler: { model } }) => [model.alias, model]));
    const registry = new ModelRegistry(models, gateway, { maxCorrectionSteps: 0, maxConversationRestarts: 1 });
    const summaries = await Promise.all(requests.map((one, index) => askOne(registry, one, index)));
    usage = registry.usage();
    return summaries;
  };
  try {
    const resources = profilers.map(({ resource }) => resource);
    return { summaries: await throughGateway(plan, { resources, ask }, options), usage };
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (failure.code === 'run/aborted') throw failure;
    return { summaries: requests.map(() => failed(failure)), usage };
  }
}

async function askOne(
  registry: ModelRegistry,
  { profiler, column, score, prompt }: SummaryRequest,
  row: number,
): Promise<Summary> {
  const random = Random.of(SAMPLE_SEED, `${column}/${score}`);
  let call = 0;
  const site = {
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
    .generate(question, site)
    .then(
      ({ value }) => ({ text: value, isFailed: false }),
      (thrown: unknown) => failed(DataDesignerError.fromUnknown(thrown)),
    );
}

function failed({ message }: DataDesignerError): Summary {
  return { text: `There is no summary: ${message}`, isFailed: true };
}
