import { join, resolve } from 'node:path';
import { DataDesignerError, isFailure } from '@data-designer/core';
import { loadDataset, type LoadDatasetOptions } from '../load-dataset.ts';
import type { DatasetCreationResults } from '../records/dataset-creation-results.ts';
import { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { readWorkflow } from './workflow-metadata.ts';

/**
 * Loads a workflow from its folder, with the results that `run` returns; the folder is not changed. Stages that no run has
 * reached are missing. Throws `dataset/missing` for a folder without a workflow, and what `loadDataset` throws.
 */
export async function loadWorkflow(path: string, options: LoadDatasetOptions = {}): Promise<CompositeWorkflowResults> {
  const folder = resolve(path);
  const written = await readWorkflow(folder);
  if (!written) throw new DataDesignerError('dataset/missing', { path: folder });
  const { name, stages } = written;
  const results = new Map<string, DatasetCreationResults>();
  for (const stage of stages) {
    if (stage.status === 'skipped_empty_upstream') continue;
    const loaded = await loadDataset(join(folder, stage.stage_dir), options).catch(orMissing);
    if (loaded) results.set(stage.name, loaded);
  }
  return new CompositeWorkflowResults({
    name,
    path: folder,
    divertedFrom: null,
    results,
    seconds: new Map(
      stages.flatMap(({ name: stage, duration_sec: seconds }) => (seconds === undefined ? [] : [[stage, seconds]])),
    ),
    reused: new Set(results.keys()),
    mapped: new Map(stages.flatMap(({ name: stage, map_output: file }) => (file ? [[stage, file]] : []))),
    finalStage: stages.at(-1)?.name ?? '',
    ended: null,
  });
}

/** A stage that has not begun has no folder. */
function orMissing(thrown: unknown): undefined {
  if (!isFailure(thrown, 'dataset/missing')) throw thrown;
}
