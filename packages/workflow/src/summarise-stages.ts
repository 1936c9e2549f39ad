import type { DatasetCreationResults } from '@data-designer/results';
import type { StageCounts, StageSummary, WorkflowSummary } from '@data-designer/results';

/** The stages of a workflow that have results. */
interface SummarisedStages {
  readonly stageResults: ReadonlyMap<string, DatasetCreationResults>;
  readonly reusedStages: ReadonlySet<string>;
}

/** Adds up what the stages of a workflow took. */
export function summariseStages(
  { stageResults, reusedStages }: SummarisedStages,
  seconds: ReadonlyMap<string, number>,
): WorkflowSummary {
  const stages = [...stageResults].map(([stage, results]): StageSummary => {
    const { path, ended } = results;
    const counts = { ...countsOf(results), seconds: seconds.get(stage) ?? null };
    return { stage, path, reused: reusedStages.has(stage), ended, ...counts };
  });
  return { stages, total: stages.reduce<StageCounts>(add, NOTHING) };
}

const NOTHING: StageCounts = {
  rows: 0,
  requested: 0,
  missing: 0,
  requests: 0,
  failedRequests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  knownCost: 0,
  unpriced: [],
  seconds: 0,
};

function countsOf(results: DatasetCreationResults): Omit<StageCounts, 'seconds'> {
  const { count: rows, requested, usage, cost, knownCost, unpriced } = results;
  const models = Object.values(usage);
  const sum = (of: (one: (typeof models)[number]) => number) => models.reduce((total, one) => total + of(one), 0);
  return {
    rows,
    requested,
    missing: Math.max(0, requested - rows),
    requests: sum((one) => one.requests),
    failedRequests: sum((one) => one.failedRequests),
    inputTokens: sum((one) => one.inputTokens),
    outputTokens: sum((one) => one.outputTokens),
    cost,
    knownCost,
    unpriced,
  };
}

function add(a: StageCounts, b: StageCounts): StageCounts {
  return {
    rows: a.rows + b.rows,
    requested: a.requested + b.requested,
    missing: a.missing + b.missing,
    requests: a.requests + b.requests,
    failedRequests: a.failedRequests + b.failedRequests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
    knownCost: a.knownCost + b.knownCost,
    unpriced: [...new Set([...a.unpriced, ...b.unpriced])],
    seconds: a.seconds === null || b.seconds === null ? null : a.seconds + b.seconds,
  };
}
