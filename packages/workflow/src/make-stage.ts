import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isFailure } from '@data-designer/core';
import type { ReadyStage } from './stage-maker.ts';
import { readDataset } from '@data-designer/dataset';
import { imagesOf, linkImages } from '@data-designer/dataset/link-images';
import { endOf, type RunEnd } from '@data-designer/engine';
import type { DatasetCreationResults } from '@data-designer/results';
import type { WorkflowParts } from './check-workflow.ts';
import type { Verdict } from './judge-stage.ts';
import type { OwnWorkflow } from './own-workflow.ts';
import type { PlannedWorkflow } from './plan-workflow.ts';
import type { PreparedInput } from './stage-input.ts';
import type { StageOutput } from './stage-output.ts';
import type { Stage, WorkflowRunOptions } from './stage.ts';
import { isLeft, type WorkflowCluster } from './workflow-cluster.ts';
import type { WorkflowLimits } from './workflow-limits.ts';
import type { MappedFile, StageIdentity, StageRecord, WorkflowMetadata } from './workflow-metadata.ts';

/** A running workflow. */
export interface RunningWorkflow {
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
  /** The machines that make the stages; undefined if this one does alone. */
  readonly cluster: WorkflowCluster | undefined;
  /** What this program knows of a workflow that it began; undefined in the place of another one. */
  readonly own: OwnWorkflow | undefined;
}

/** A stage whose input is ready. */
export interface StartedStage {
  readonly stage: Stage;
  readonly declared: Parameters<WorkflowParts['maker']['create']>[0];
  readonly ready: ReadyStage;
  readonly input: PreparedInput | undefined;
  readonly identity: StageIdentity;
  readonly verdict: Verdict;
  readonly rows: number;
  /** Whether its lost rows are made again. */
  readonly retryLost: boolean;
}

/** Makes or continues a stage with the rest of the budget, and records it before and after. */
export async function makeStage(
  started: StartedStage,
  running: RunningWorkflow,
): Promise<DatasetCreationResults | RunEnd> {
  const { stage, declared, ready, verdict, rows, retryLost } = started;
  const { compiled } = ready;
  const { parts, options, folder, metadata, limits, cluster } = running;
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
      reRequest: options.reRequest ?? false,
      retryLost,
      callLog: options.callLog,
      ...(signal && { signal }),
      ...(drain && { drain }),
      onEvent: (event) => onEvent({ type: 'stage-event', stage: stage.name, event }),
      place: {
        stage: stage.name,
        artifactPath: folder,
        shared: cluster ? undefined : limits.threadFor(stage.name, compiled.plan),
        cluster: cluster && { machines: cluster.machines, limits: limits.shareFor(stage.name) },
        spentSeconds: limits.elapsedSeconds,
        mediaRoots: foldersBefore(stage, running),
        extendsInput: extendsInput(verdict),
        // A dataset that is continued has rows of the seed, and machines share the requests of the plan.
        ready: verdict.action === 'continue' || cluster ? undefined : ready,
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
    if (isLeft(failure)) throw failure;
    // Limits that all stages share may end one before its first row.
    const isEnded = isFailure(failure, 'run/budget-spent') || isFailure(failure, 'run/time-spent');
    const status = isEnded || isFailure(failure, 'run/aborted') ? 'running' : 'failed';
    await metadata.put({ ...record, ...took(), status });
    if (isEnded) return endOf(failure);
    throw failure;
  }
}

function extendsInput(verdict: Verdict): boolean {
  return verdict.action === 'continue' && verdict.extendsInput === true;
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
    for (const source of sources) await linkImages(imagesOf([row]), source, results.path);
}

/** The record of a stage that begins. */
async function recordOf(
  { stage, ready, input, identity, rows, verdict }: StartedStage,
  { parts, cluster }: RunningWorkflow,
): Promise<StageRecord> {
  const { config } = ready.compiled;
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
    ...(extendsInput(verdict) && { extends_input: true }),
    ...(cluster && { cluster: cluster.machines.run }),
    input_file: input?.file ?? null,
  };
}
