import { TemporaryFolder } from '@data-designer/dataset';
import { type StopOptions, stopSignals } from '@data-designer/declaration';
import { type RehearsalOptions, resolveRates, SAMPLE_ROWS } from '@data-designer/rehearsal';
import { checkWorkflow, type WorkflowParts } from './check-workflow.ts';
import { declareStage, prepareInput, type PreparedInput } from './stage-input.ts';
import { mapOutput } from './map-output.ts';
import { outputOf, type StageOutput } from './stage-output.ts';
import type { Stage } from './stage.ts';
import type { StageRehearsal, WorkflowRehearsal } from './workflow-rehearsal.ts';

/** A stage whose sample is made. */
interface SampledStage {
  readonly output: StageOutput;
  /** Rows that the real stage makes. */
  readonly rows: number;
}

/** Estimated rows of a stage, and why. */
interface EstimatedRows {
  readonly rows: number;
  readonly reason?: string;
}

/**
 * Makes a sample of each stage with simulated models in a temporary folder, from the sample of the stages that it reads,
 * and estimates the whole workflow. Throws `rehearsal/invalid-option`, and what `check()` throws.
 */
export async function rehearseWorkflow(
  parts: WorkflowParts,
  options: RehearsalOptions & StopOptions,
): Promise<WorkflowRehearsal> {
  resolveRates(options);
  await checkWorkflow(parts, options);
  await using scratch = await TemporaryFolder.make();
  const place = { workflow: parts.name, folder: scratch.path };
  const sampled = new Map<string, SampledStage>();
  const stages: StageRehearsal[] = [];
  const reasons: string[] = [];
  for (const stage of parts.stages) {
    const outputs = new Map([...sampled].map(([name, { output }]) => [name, output]));
    const input = await prepareInput(stage, outputs, place);
    const { rows, reason } = await estimateRows(stage, input, { sampled, numRecords: options.numRecords });
    if (reason !== undefined) reasons.push(reason);
    const sampleRows = Math.min(options.sampleRows ?? SAMPLE_ROWS, input?.rows ?? Infinity);
    const rates = resolveRates({ ...options, numRecords: rows, sampleRows });
    const { rehearsal, compiled, results } = await parts.maker.rehearse(await declareStage(stage, input, place), {
      rates,
      signals: stopSignals(options),
      onEvent: options.onEvent,
      place: {
        artifactPath: place.folder,
        datasetName: stage.folder,
        mediaRoots: parts.stages.filter(({ name }) => sampled.has(name)).map((one) => `${place.folder}/${one.folder}`),
      },
    });
    stages.push({ stage: stage.name, ...rehearsal });
    const inherited = input?.origins;
    const { folder } = place;
    const { reviewed: _, ...output } = await outputOf(stage, results, {
      ...compiled,
      folder,
      inherited,
      content: undefined,
    });
    const signals = stopSignals(options);
    const mapped = await mapOutput(stage, output, { ...place, was: undefined, signals });
    const made = compiled.config.select ? rows : rehearsal.rowsMade;
    sampled.set(stage.name, { output: mapped.output, rows: Math.round((made * mapped.output.rows) / output.rows) });
  }
  return total(parts, stages, reasons);
}

/** The rows of the real stage, scaled from those that its input has in the sample. */
async function estimateRows(
  { name, options, dependsOn }: Stage,
  input: PreparedInput | undefined,
  { sampled, numRecords }: { readonly sampled: ReadonlyMap<string, SampledStage>; readonly numRecords: number },
): Promise<EstimatedRows> {
  if (options.rows !== undefined) return { rows: options.rows };
  const before = sampled.get(dependsOn[0] ?? '');
  if (!input || !before) return { rows: numRecords };
  const { output, rows: real } = before;
  const forecasts = await Promise.all(input.steps.map(({ kind, before: sample }) => kind.forecast(sample)));
  const known = forecasts.filter((forecast) => forecast !== undefined);
  const last = known.at(-1);
  if (!last) return { rows: real };
  const growth = known.reduce((power, one) => power * (one.growth ?? 1), 1);
  const rows = Math.max(input.rows, Math.round(input.rows * (real / output.rows) ** growth));
  const notes = known.flatMap(({ note }) => (note === undefined ? [] : `; ${note}`)).join('');
  return {
    rows,
    reason: `Stage '${name}' has about ${rows} rows: ${output.rows} rehearsed rows of '${output.stage}' ${last.verb} ${input.rows} ${last.noun}${notes}.`,
  };
}

function total(
  { stages: declared, maker }: WorkflowParts,
  stages: readonly StageRehearsal[],
  reasons: readonly string[],
): WorkflowRehearsal {
  const sum = (of: (one: StageRehearsal) => number) => stages.reduce((all, one) => all + of(one), 0);
  const cost = stages.some((one) => one.cost === null && one.requests > 0) ? null : sum((one) => one.cost ?? 0);
  const wallMs = wallOf(declared, stages);
  const { maxCost, maxDurationSeconds } = maker.settings();
  const hasBranches = declared.some(
    ({ dependsOn }, index) => dependsOn.length !== Math.min(1, index) || dependsOn[0] !== declared[index - 1]?.name,
  );
  const limits = [
    ...(maxCost !== null && sum((one) => one.cost ?? 0) > maxCost
      ? [`The workflow would stop at its max_cost of ${maxCost}.`]
      : []),
    ...(maxDurationSeconds !== null && wallMs > 1000 * maxDurationSeconds
      ? [`The workflow would stop at its max_duration_seconds of ${maxDurationSeconds}.`]
      : []),
  ];
  return {
    stages,
    requests: sum((one) => one.requests),
    inputTokens: sum((one) => one.inputTokens),
    outputTokens: sum((one) => one.outputTokens),
    cost,
    wallMs,
    assumptions: [...reasons, ...sharedAssumptions(stages), ...(hasBranches ? [BRANCHES] : []), ...limits],
  };
}

const BRANCHES = 'Stages that do not depend on each other run at the same time.';

/** The longest chain of stages, or the work of the busiest model or of this machine in all stages if that takes longer. */
function wallOf(declared: readonly Stage[], stages: readonly StageRehearsal[]): number {
  const ends = new Map<string, number>();
  const loads = new Map<string, number>();
  for (const { stage, wall } of stages) {
    const before = declared.find(({ name }) => name === stage)?.dependsOn ?? [];
    ends.set(stage, wall.ms + Math.max(0, ...before.map((name) => ends.get(name) ?? 0)));
    for (const { kind, name, ms } of wall.bounds) if (kind !== 'chain') loads.set(name, (loads.get(name) ?? 0) + ms);
  }
  return Math.max(0, ...ends.values(), ...loads.values());
}

/** The sentences of all stages, each once; those that not all stages share name theirs. */
function sharedAssumptions(stages: readonly StageRehearsal[]): readonly string[] {
  const told = new Map<string, string[]>();
  for (const { stage, assumptions } of stages) {
    for (const sentence of assumptions) told.set(sentence, [...(told.get(sentence) ?? []), stage]);
  }
  return [...told].map(([sentence, of]) => (of.length === stages.length ? sentence : `${of.join(', ')}: ${sentence}`));
}
