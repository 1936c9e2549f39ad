import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { DataDesignerError, isFailure } from '@data-designer/core';
import { makeFolder, takeFolderLock, timeStampedName } from '@data-designer/dataset';
import type { RunEnd } from '@data-designer/engine';
import { stopSignals } from '../options/resolve-options.ts';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';
import { checkWorkflow, type WorkflowParts } from './check-workflow.ts';
import { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { identityOfStage, isRefused, judgeStage, type Verdict } from './judge-stage.ts';
import { type PlannedWorkflow, planWorkflow } from './plan-workflow.ts';
import { declareStage, prepareInput, type PreparedInput } from './stage-input.ts';
import { outputOf, overriddenOutput, type StageOutput } from './stage-output.ts';
import type { Stage, WorkflowRunOptions } from './stage.ts';
import { metadataPath, type StageIdentity, type StageRecord, WorkflowMetadata } from './workflow-metadata.ts';

/** A running workflow. */
interface RunningWorkflow {
  readonly parts: WorkflowParts;
  readonly plan: PlannedWorkflow;
  readonly options: WorkflowRunOptions;
  readonly folder: string;
  readonly metadata: WorkflowMetadata;
  readonly outputs: Map<string, StageOutput>;
  readonly results: Map<string, DatasetCreationResults>;
  readonly reused: Set<string>;
}

/** Checks all stages, then makes, continues or reuses each in order. */
export async function runWorkflow<Row>(
  parts: WorkflowParts,
  options: WorkflowRunOptions,
): Promise<CompositeWorkflowResults<Row>> {
  const plan = planWorkflow(parts, options);
  await checkWorkflow({ ...parts, stages: plan.wanted }, options);
  const wantedFolder = join(resolve(parts.maker.artifactPath), parts.name);
  const folder = folderOf(wantedFolder, options);
  await makeFolder(folder);
  await using _ = await takeFolderLock(join(folder, '.lock'));
  const metadata = await WorkflowMetadata.open(folder, parts.name);
  const running: RunningWorkflow = {
    parts,
    plan,
    options,
    folder,
    metadata,
    outputs: new Map(),
    results: new Map(),
    reused: new Set(),
  };
  let ended: RunEnd | null = null;
  for (const stage of plan.wanted) {
    ended = await runStage(stage, running);
    if (ended) break;
  }
  return new CompositeWorkflowResults<Row>({
    name: parts.name,
    path: folder,
    divertedFrom: folder === wantedFolder ? null : wantedFolder,
    results: running.results,
    reused: running.reused,
    finalStage: plan.finalStage,
    ended,
  });
}

/** The folder of this run: another one if a run that must not continue finds a workflow in it. */
function folderOf(wanted: string, { resume = 'never' }: WorkflowRunOptions): string {
  const exists = existsSync(metadataPath(wanted));
  if (resume === 'always' && !exists) throw new DataDesignerError('dataset/missing', { path: wanted });
  return resume !== 'never' || !existsSync(wanted) ? wanted : freeFolder(wanted);
}

/** The folder with the time in its name, and a number if that exists. */
function freeFolder(wanted: string): string {
  const name = timeStampedName(wanted, new Date());
  for (let copy = 1; ; copy++) {
    const folder = copy === 1 ? name : `${name}_${copy}`;
    if (!existsSync(folder)) return folder;
  }
}

/** Renames the folder of a stage that is made again: its answers are paid for. */
async function setAside(folder: string): Promise<void> {
  if (existsSync(folder)) await rename(folder, freeFolder(folder));
}

/** Makes, continues or reuses a stage; returns why it ended early, or null. */
async function runStage(stage: Stage, running: RunningWorkflow): Promise<RunEnd | null> {
  const { parts, plan, options, folder, metadata, outputs } = running;
  const { onEvent = () => {}, resume = 'never' } = options;
  const place = { workflow: parts.name, folder };
  const before = outputs.get(stage.dependsOn[0] ?? '');
  const input = before && (await prepareInput(stage, before, place));
  const declared = await declareStage(stage, input, place);
  const rows = stage.options.rows ?? input?.rows ?? options.numRecords ?? 10;
  const compiled = await parts.maker.compile(declared, { rows, signals: stopSignals(options) });
  const { seed } = parts.maker.settings();
  const identity = await identityOfStage(compiled, input, { rows, seed });
  const isForced = plan.forced.has(stage.name);
  const stageFolder = join(folder, stage.folder);
  const verdict = judgeStage(metadata.of(stage.name), identity, { folder: stageFolder, isForced });
  if (verdict.action === 'replace') {
    const { reason } = verdict;
    if (isRefused(verdict, resume, isForced))
      throw new DataDesignerError('workflow/changed', { workflow: parts.name, stage: stage.name, reason });
    onEvent({ type: 'stage-replace', stage: stage.name, index: stage.index, reason });
    await setAside(stageFolder);
  }
  const started: StartedStage = { stage, declared, compiled, input, identity, verdict, rows };
  const results = verdict.action === 'reuse' ? await reuseStage(started, running) : await makeStage(started, running);
  if (!('path' in results)) return results;
  running.results.set(stage.name, results);
  if (results.ended) return results.ended;
  const output = await outputOf(stage, results, { ...compiled, folder });
  const file = plan.overrides.get(stage.name);
  outputs.set(stage.name, file === undefined ? output : await overriddenOutput(output, file, place));
  return null;
}

/** A stage whose input is ready. */
interface StartedStage {
  readonly stage: Stage;
  readonly declared: Parameters<WorkflowParts['maker']['create']>[0];
  readonly compiled: Awaited<ReturnType<WorkflowParts['maker']['compile']>>;
  readonly input: PreparedInput | undefined;
  readonly identity: StageIdentity;
  readonly verdict: Verdict;
  readonly rows: number;
}

async function reuseStage({ stage }: StartedStage, running: RunningWorkflow): Promise<DatasetCreationResults> {
  const results = await running.parts.maker.load(join(running.folder, stage.folder));
  running.reused.add(stage.name);
  running.options.onEvent?.({ type: 'stage-reuse', stage: stage.name, index: stage.index, rows: results.count });
  return results;
}

/** Makes or continues a stage with the rest of the budget, and records it before and after. */
async function makeStage(started: StartedStage, running: RunningWorkflow): Promise<DatasetCreationResults | RunEnd> {
  const { stage, declared, compiled, verdict, rows } = started;
  const { parts, options, folder, metadata } = running;
  const { onEvent = () => {}, signal, drain } = options;
  const maxCost = budgetLeft(running);
  if (maxCost === 0 && compiled.plan.columns.some(({ requires }) => requires.models.length > 0)) return spent(running);
  const record = await recordOf(started, running);
  await metadata.put(record);
  onEvent({ type: 'stage-start', stage: stage.name, index: stage.index, rows });
  const startedAt = performance.now();
  try {
    const results = await parts.maker.create(declared, {
      numRecords: rows,
      datasetName: stage.folder,
      resume: verdict.action === 'continue' ? 'always' : 'never',
      rebuy: options.rebuy ?? false,
      ...(signal && { signal }),
      ...(drain && { drain }),
      onEvent: (event) => onEvent({ type: 'stage-event', stage: stage.name, event }),
      place: {
        artifactPath: folder,
        maxCost: maxCost === 0 ? null : maxCost,
        mediaRoots: foldersBefore(stage, running),
      },
    });
    if (results.ended) return results;
    await metadata.put({
      ...record,
      status: 'completed',
      num_records_actual: results.count,
      output_records: results.count,
      output_seed_path: `${stage.folder}/parquet-files`,
      callback_output_path: null,
      output_processor_output_path: null,
      duration_sec: (performance.now() - startedAt) / 1000,
    });
    onEvent({ type: 'stage-end', stage: stage.name, index: stage.index, rows: results.count });
    return results;
  } catch (failure) {
    if (!isFailure(failure, 'run/aborted')) await metadata.put({ ...record, status: 'failed' });
    throw failure;
  }
}

/** What the other stages leave of the budget; null without one. */
function budgetLeft({ parts, results }: RunningWorkflow): number | null {
  const { maxCost } = parts.maker.settings();
  return maxCost === null ? null : Math.max(0, maxCost - costOf(results));
}

function costOf(results: RunningWorkflow['results']): number {
  return [...results.values()].reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}

/** The end of a workflow whose earlier stages have spent the budget. */
function spent({ parts, results }: RunningWorkflow): RunEnd {
  const maxCost = parts.maker.settings().maxCost ?? 0;
  const { code, message } = new DataDesignerError('run/budget-spent', { maxCost, cost: costOf(results) });
  return { code, message };
}

function foldersBefore({ index }: Stage, { plan, folder }: RunningWorkflow): readonly string[] {
  return plan.wanted.filter((stage) => stage.index < index).map((stage) => join(folder, stage.folder));
}

/** The record of a stage that begins. */
async function recordOf(
  { stage, compiled, input, identity, rows }: StartedStage,
  { parts }: RunningWorkflow,
): Promise<StageRecord> {
  const { config } = compiled;
  const written = await parts.maker.written(config);
  return {
    status: 'running',
    index: stage.index,
    name: stage.name,
    stage_dir: stage.folder,
    depends_on: stage.dependsOn,
    allow_empty: false,
    on_success_version: null,
    output_processors: [],
    output: 'final',
    sampling_strategy: config.seedConfig?.samplingStrategy ?? 'ordered',
    selection_strategy: config.seedConfig?.selectionStrategy ?? null,
    fingerprint: createHash('sha256').update(JSON.stringify(identity)).digest('hex'),
    num_records_requested: rows,
    seeded_from_stage: input ? (stage.dependsOn[0] ?? null) : null,
    seed_path: input?.path ?? null,
    config: written,
    identity,
  };
}
