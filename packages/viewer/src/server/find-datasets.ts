import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { DataDesignerError, fieldsOf, isFields } from '@data-designer/core';
import { datasetPaths, readJsonFile, WORKFLOW_FILE } from '@data-designer/dataset';
import type { DatasetEntry } from '../api/datasets.ts';

/** The datasets in a folder, and the name of the workflow that made them. */
export interface FoundDatasets {
  readonly workflow: string | null;
  readonly datasets: readonly Omit<DatasetEntry, 'id'>[];
}

/** The most datasets of a folder that holds several. */
const MAX_DATASETS = 200;

/** The dataset in a folder, the stages of a workflow, or the datasets that a folder contains. Throws `dataset/missing`. */
export async function findDatasets(folder: string): Promise<FoundDatasets> {
  const path = resolve(folder);
  if (await isDataset(path)) {
    const candidates = join(path, 'candidates');
    const own = { name: basename(path), path };
    const kept = (await isDataset(candidates)) ? [{ name: `${own.name}: candidates`, path: candidates }] : [];
    return { workflow: null, datasets: [own, ...kept] };
  }
  const stages = await stagesIn(path);
  if (stages) return stages;
  const datasets = await datasetsIn(path);
  if (datasets.length === 0) throw new DataDesignerError('dataset/missing', { path });
  return { workflow: null, datasets };
}

async function isDataset(path: string): Promise<boolean> {
  return stat(datasetPaths(path).parquetFiles).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
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
    if (await isDataset(stagePath)) datasets.push({ name, path: stagePath });
  }
  return datasets.length > 0 ? { workflow: basename(path), datasets } : undefined;
}

/** The datasets directly in a folder, the latest first. */
async function datasetsIn(path: string): Promise<readonly Omit<DatasetEntry, 'id'>[]> {
  const names = await readdir(path).catch(() => []);
  const found: { readonly name: string; readonly path: string; readonly mtimeMs: number }[] = [];
  for (const name of names) {
    const at = join(path, name);
    if (!(await isDataset(at))) continue;
    const { mtimeMs } = await stat(at);
    found.push({ name, path: at, mtimeMs });
  }
  const latest = found.toSorted((a, b) => b.mtimeMs - a.mtimeMs).slice(0, MAX_DATASETS);
  return latest.map(({ name, path: at }) => ({ name, path: at }));
}
