import { missingDataset } from '@data-designer/dataset';
import { join, resolve } from 'node:path';
import { isFailure } from '@data-designer/core';
import type { RunEnd } from '@data-designer/engine';
import { type DatasetCreationResults, loadDataset, type LoadDatasetOptions } from '@data-designer/results';
import { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { readWorkflow } from './workflow-metadata.ts';

/**
 * Loads a workflow from its folder, with the results that `run` returns; the folder is not changed. Stages that no run has
 * reached are missing. Throws `dataset/missing` for a folder without a workflow, and what `loadDataset` throws.
 */
export async function loadWorkflow(path: string, options: LoadDatasetOptions = {}): Promise<CompositeWorkflowResults> {
  const folder = resolve(path);
  return loadStages(folder, { load: (stage) => loadDataset(stage, options) });
}

/** How the stages of a workflow are loaded. */
interface LoadStagesOptions {
  readonly load: (folder: string) => Promise<DatasetCreationResults>;
  /** The names of the stages, in order; all recorded ones unless given. */
  readonly wanted?: ReadonlySet<string>;
  /** The last of the requested stages; the last recorded one unless given. */
  readonly finalStage?: string;
  /** How the workflow has ended if it is not complete and its folder has no reason; nothing is said of that unless given. */
  readonly ended?: RunEnd;
}

/** Loads the stages of a workflow as the results of a run that reuses them; those that no run has reached are missing. */
export async function loadStages(
  folder: string,
  { load, wanted, finalStage, ended }: LoadStagesOptions,
): Promise<CompositeWorkflowResults> {
  const written = await readWorkflow(folder);
  if (!written) throw missingDataset(folder);
  const stages = written.stages.filter(({ name }) => !wanted || wanted.has(name));
  const results = new Map<string, DatasetCreationResults>();
  for (const stage of stages) {
    if (stage.status === 'skipped_empty_upstream') continue;
    const loaded = await load(join(folder, stage.stage_dir)).catch(orMissing);
    if (loaded) results.set(stage.name, loaded);
  }
  return new CompositeWorkflowResults({
    name: written.name,
    path: folder,
    divertedFrom: null,
    results,
    seconds: new Map(
      stages.flatMap(({ name: stage, duration_sec: seconds }) => (seconds === undefined ? [] : [[stage, seconds]])),
    ),
    reused: new Set(results.keys()),
    mapped: new Map(stages.flatMap(({ name: stage, map_output: file }) => (file ? [[stage, file]] : []))),
    finalStage: finalStage ?? stages.at(-1)?.name ?? '',
    ended: written.isComplete || !ended ? null : (written.ended ?? ended),
  });
}

/** A stage that has not begun has no folder. */
function orMissing(thrown: unknown): undefined {
  if (!isFailure(thrown, 'dataset/missing')) throw thrown;
}
