import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fieldsOf, isFields } from '@data-designer/core';
import { holdsDataset, missingDataset, readJsonFile, WORKFLOW_FILE } from '@data-designer/dataset';
import type { DatasetEntry } from '../api/datasets.ts';

/** The datasets in a folder, and the name of the workflow that made them. */
export interface FoundDatasets {
  readonly workflow: string | null;
  /** Whether the folder holds them beside others. */
  readonly isFolder: boolean;
  readonly datasets: readonly Omit<DatasetEntry, 'id'>[];
}

/** The most datasets of a folder that holds several. */
const MAX_DATASETS = 200;

/** The dataset in a folder, the stages of a workflow, or the datasets that a folder contains. Throws `dataset/missing`. */
export async function findDatasets(folder: string): Promise<FoundDatasets> {
  const path = resolve(folder);
  if (holdsDataset(path)) {
    const candidates = join(path, 'candidates');
    const own = { name: basename(path), path, workflow: null };
    const kept = holdsDataset(candidates) ? [{ ...own, name: `${own.name}: candidates`, path: candidates }] : [];
    return { workflow: null, isFolder: false, datasets: [own, ...kept] };
  }
  const stages = await stagesIn(path);
  if (stages) return stages;
  const datasets = await datasetsIn(path);
  if (datasets.length === 0) throw missingDataset(path);
  return { workflow: null, isFolder: true, datasets };
}

/** The stages of a workflow that have begun, in their order; undefined for a folder without its record. */
async function stagesIn(path: string): Promise<FoundDatasets | undefined> {
  const record = await readJsonFile(join(path, WORKFLOW_FILE), { exact: false }).catch(() => undefined);
  const { stages } = fieldsOf(record);
  if (!Array.isArray(stages)) return undefined;
  const datasets: Omit<DatasetEntry, 'id'>[] = [];
  for (const stage of stages.filter(isFields)) {
    const { name, stage_dir: folder } = stage;
    // The folder of a stage is a name, never a path that leads elsewhere.
    if (typeof name !== 'string' || typeof folder !== 'string' || basename(folder) !== folder) continue;
    const stagePath = join(path, folder);
    if (holdsDataset(stagePath)) datasets.push({ name, path: stagePath, workflow: basename(path) });
  }
  return datasets.length > 0 ? { workflow: basename(path), isFolder: false, datasets } : undefined;
}

/** The datasets and the workflows directly in a folder, the latest first. */
export async function datasetsIn(path: string): Promise<FoundDatasets['datasets']> {
  const names = await readdir(path).catch(() => []);
  const found: { readonly datasets: FoundDatasets['datasets']; readonly mtimeMs: number }[] = [];
  for (const name of names) {
    const at = join(path, name);
    const datasets = holdsDataset(at)
      ? [{ name, path: at, workflow: null }]
      : (await stagesIn(at))?.datasets.map((stage) => ({ ...stage, name: `${name}: ${stage.name}` }));
    if (datasets) found.push({ datasets, mtimeMs: (await stat(at)).mtimeMs });
  }
  const latest = found.toSorted((a, b) => b.mtimeMs - a.mtimeMs).flatMap(({ datasets }) => datasets);
  return latest.slice(0, MAX_DATASETS);
}
