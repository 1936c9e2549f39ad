import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { DataDesignerError, isFailure } from '@data-designer/core';
import { linkImages, makeFolder, readDataset, takeFolderLock, timeStampedName } from '@data-designer/dataset';
import { endOf, type RunEnd } from '@data-designer/engine';
import { stopSignals } from '../options/resolve-options.ts';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';
import { checkWorkflow, type WorkflowParts } from './check-workflow.ts';
import { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { identityOfStage, isRefused, judgeStage, type Verdict } from './judge-stage.ts';
import { mapOutput } from './map-output.ts';
import { type PlannedWorkflow, planWorkflow } from './plan-workflow.ts';
import { declareStage, prepareInput, type PreparedInput } from './stage-input.ts';
import { outputOf, overriddenOutput, type StageOutput } from './stage-output.ts';
import type { Stage, WorkflowRunOptions } from './stage.ts';
import { runStages } from './run-stages.ts';
import { WorkflowLimits } from './workflow-limits.ts';
import { WorkflowProgress } from './workflow-progress.ts';
import {
  type MappedFile,
  metadataPath,
  type StageIdentity,
  type StageRecord,
  WorkflowMetadata,
} from './workflow-metadata.ts';

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
  /** The files of mapped rows, by stage. */
  readonly mapped: Map<string, MappedFile>;
  /** The stages that hand over no rows, and those that were skipped for them. */
  readonly empty: Set<string>;
  readonly limits: WorkflowLimits;
}

/** Checks all stages, then makes, continues or reuses each in order. */
export async function runWorkflow<Row, OwnRow>(
  parts: WorkflowParts,
  options: WorkflowRunOptions,
): Promise<CompositeWorkflowResults<Row, OwnRow>> {
  const planned = planWorkflow(parts, options);
  const { numRecords = 10, onEvent = () => {} } = options;
  await using limits = new WorkflowLimits(parts.maker);
  const check = { numRecords, onPlan: limits.add };
  const reports = await checkWorkflow({ ...parts, stages: planned.wanted }, check);
  const wantedFolder = join(resolve(parts.maker.artifactPath), parts.name);
  const folder = folderOf(wantedFolder, options);
  await makeFolder(folder);
  await using _ = await takeFolderLock(join(folder, '.lock'));
  const metadata = await WorkflowMetadata.open(folder, parts);
  // A stage that is recorded keeps its folder, also when another is put before it.
  const placed = (stage: Stage): Stage => ({ ...stage, folder: metadata.of(stage.name)?.stage_dir ?? stage.folder });
  const plan = { ...planned, wanted: planned.wanted.map(placed) };
  const { maxCost } = parts.maker.settings();
  const told = { workflow: parts.name, path: folder, reports, numRecords, maxCost, onEvent };
  const progress = new WorkflowProgress(plan.wanted, told);
  const running: RunningWorkflow = {
    parts,
    plan,
    options: { ...options, onEvent: progress.take },
    folder,
    metadata,
    outputs: new Map(),
    results: new Map(),
    reused: new Set(),
    mapped: new Map(),
    empty: new Set(),
    limits,
  };
  const drains = options.drain ? [options.drain] : [];
  const ended = await runStages(plan.wanted, (stage, stopped) =>
    runStage(stage, { ...running, options: { ...running.options, drain: AbortSignal.any([...drains, stopped]) } }),
  );
  return new CompositeWorkflowResults<Row, OwnRow>({
    name: parts.name,
    path: folder,
    divertedFrom: folder === wantedFolder ? null : wantedFolder,
    results: new Map(plan.wanted.flatMap(({ name }) => entryOf(running.results, name))),
    seconds: metadata.seconds(),
    reused: running.reused,
    mapped: running.mapped,
    finalStage: plan.finalStage,
    ended,
  });
}

function entryOf<Value>(map: ReadonlyMap<string, Value>, key: string): readonly [string, Value][] {
  const value = map.get(key);
  return value === undefined ? [] : [[key, value]];
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
  const place = { workflow: parts.name, folder, metadata };
  const upstream = stage.dependsOn.find((name) => running.empty.has(name));
  if (upstream !== undefined) return skipStage(stage, upstream, running);
  const input = await prepareInput(stage, outputs, place);
  if (input && input.unmatched.length > 0)
    onEvent({ type: 'stage-join', stage: stage.name, index: stage.index, unmatched: input.unmatched });
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
  running.limits.count(stage.name, results.cost);
  if (results.ended) return results.ended;
  const output = await outputOf(stage, results, {
    ...compiled,
    folder,
    inherited: input?.origins,
    content: metadata.of(stage.name)?.output_content,
  });
  await recordOutput(stage, output, metadata);
  const mapped = await mapStage(stage, output, running);
  const file = plan.overrides.get(stage.name);
  if (file === undefined && mapped.rows === 0) running.empty.add(stage.name);
  outputs.set(stage.name, file === undefined ? mapped : await overriddenOutput(mapped, file, place));
  return null;
}

/** Leaves out a stage whose input has no rows; the rows of an earlier run stay. */
async function skipStage(stage: Stage, upstream: string, { empty, metadata, options }: RunningWorkflow): Promise<null> {
  const record = metadata.of(stage.name);
  if (record) await metadata.put({ ...record, status: 'skipped_empty_upstream' });
  empty.add(stage.name);
  options.onEvent?.({ type: 'stage-skip', stage: stage.name, index: stage.index, upstream });
  return null;
}

/** The rows that a stage hands over, which its `map` may have changed, and records their file. */
async function mapStage(stage: Stage, output: StageOutput, running: RunningWorkflow): Promise<StageOutput> {
  const { parts, plan, options, folder, metadata } = running;
  const was = plan.forced.has(stage.name) ? null : metadata.of(stage.name)?.map_output;
  const place = { workflow: parts.name, folder, was: was ?? undefined, signals: stopSignals(options) };
  const { output: mapped, file } = await mapOutput(stage, output, place);
  if (file) running.mapped.set(stage.name, file);
  const record = metadata.of(stage.name);
  if (record && (record.map_output ?? null) !== file) {
    await metadata.put({
      ...record,
      status: mapped.rows === 0 ? 'completed_empty' : 'completed',
      output_records: mapped.rows,
      output_seed_path: file?.path ?? `${stage.folder}/parquet-files`,
      callback_output_path: file?.path ?? null,
      map_output: file,
    });
  }
  return mapped;
}

/** Records the hash of a stage's output, so that the next run need not read its files. */
async function recordOutput(
  { name }: Stage,
  { content, stamp }: StageOutput,
  metadata: WorkflowMetadata,
): Promise<void> {
  const record = metadata.of(name);
  if (!record || record.output_content?.stamp === stamp) return;
  await metadata.put({ ...record, output_content: { hash: content, stamp } });
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
  const { count: rows, cost } = results;
  const requests = Object.values(results.usage).reduce((sum, one) => sum + one.requests, 0);
  running.options.onEvent?.({ type: 'stage-reuse', stage: stage.name, index: stage.index, rows, requests, cost });
  return results;
}

/** Makes or continues a stage with the rest of the budget, and records it before and after. */
async function makeStage(started: StartedStage, running: RunningWorkflow): Promise<DatasetCreationResults | RunEnd> {
  const { stage, declared, compiled, verdict, rows } = started;
  const { parts, options, folder, metadata, limits } = running;
  const { onEvent = () => {}, signal, drain } = options;
  const end = limits.endBefore(compiled.plan);
  if (end) return end;
  const secondsBefore = verdict.action === 'continue' ? (metadata.of(stage.name)?.duration_sec ?? 0) : 0;
  const record = await recordOf(started, running);
  await metadata.put(record);
  onEvent({ type: 'stage-start', stage: stage.name, index: stage.index, rows });
  const startedAt = performance.now();
  const took = () => ({ duration_sec: secondsBefore + (performance.now() - startedAt) / 1000 });
  try {
    const results = await parts.maker.create(declared, {
      numRecords: rows,
      datasetName: stage.folder,
      resume: verdict.action === 'continue' ? 'always' : 'never',
      rebuy: options.rebuy ?? false,
      callLog: options.callLog,
      ...(signal && { signal }),
      ...(drain && { drain }),
      onEvent: (event) => onEvent({ type: 'stage-event', stage: stage.name, event }),
      place: {
        stage: stage.name,
        artifactPath: folder,
        shared: limits.threadFor(stage.name, compiled.plan),
        spentSeconds: limits.elapsedSeconds,
        mediaRoots: foldersBefore(stage, running),
      },
    });
    if (results.ended) {
      await metadata.put({ ...record, ...took() });
      return results;
    }
    await linkInputImages(stage, results, running);
    await metadata.put({
      ...record,
      ...took(),
      status: 'completed',
      num_records_actual: results.count,
      output_records: results.count,
      output_seed_path: `${stage.folder}/parquet-files`,
      callback_output_path: null,
      output_processor_output_path: null,
    });
    onEvent({ type: 'stage-end', stage: stage.name, index: stage.index, rows: results.count });
    return results;
  } catch (failure) {
    // Limits that all stages share may end one before its first row.
    const isEnded = isFailure(failure, 'run/budget-spent') || isFailure(failure, 'run/time-spent');
    const status = isEnded || isFailure(failure, 'run/aborted') ? 'running' : 'failed';
    await metadata.put({ ...record, ...took(), status });
    if (isEnded) return endOf(failure);
    throw failure;
  }
}

/** The folders of the stages that a stage reads: each has the images of its rows. */
function foldersBefore({ dependsOn }: Stage, { plan, folder }: RunningWorkflow): readonly string[] {
  return plan.wanted.filter(({ name }) => dependsOn.includes(name)).map((stage) => join(folder, stage.folder));
}

/** Gives a stage's folder the images of earlier stages that its rows show. */
async function linkInputImages(stage: Stage, results: DatasetCreationResults, running: RunningWorkflow): Promise<void> {
  const sources = foldersBefore(stage, running).filter((folder) => existsSync(join(folder, 'images')));
  if (sources.length === 0) return;
  for await (const row of readDataset(results.path))
    for (const source of sources) await linkImages([row], source, results.path);
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
    allow_empty: stage.options.allowEmpty ?? false,
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
    input_file: input?.file ?? null,
  };
}
