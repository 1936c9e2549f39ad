import { join } from 'node:path';
import type { ColumnRegistry } from '@data-designer/config';
import { exportRows, filesInFormat, readStreams, TemporaryFolder } from '@data-designer/dataset';
import {
  attemptFigures,
  knownCostOf,
  type PreviewResult,
  type ProbeOptions,
  type RunResult,
} from '@data-designer/engine';
import type { DatasetProfile } from './dataset-profile.ts';
import { type CountedProfile, profileDataset } from './profile-dataset.ts';
import { profileSelection } from './selection-profile.ts';
import { storeProfile, readProfile } from './stored-profile.ts';
import { summariseJudges } from './judges/summarise-judges.ts';

/** Options of an analysis. */
export interface AnalyseOptions {
  readonly registry: ColumnRegistry;
  /** How to reach the models that write the declared summaries. */
  readonly probe: ProbeOptions;
}

/** The stored profile, calculated anew when data files change; stored summaries are not paid for again. */
export async function analyseDataset(result: RunResult, options: AnalyseOptions): Promise<DatasetProfile> {
  const { path, plan, summary, datasetName } = result;
  const known = await readProfile(path, plan);
  if (known?.isCurrent && !hasFailedSummary(known.stored.profile)) return withSelection(known.stored.profile, result);
  await using folder = await TemporaryFolder.make();
  const rows = { ...(await rowsOf(result, folder)), stored: known?.stored.summaries ?? {} };
  const counted = known?.isCurrent
    ? known.stored.profile
    : await profileDataset({ ...rows, name: datasetName, registry: options.registry });
  const spent = knownCostOf(summary.pricedUsage(plan));
  const { profile, summaries, usage } = await summariseJudges(counted, rows, { ...options.probe, spent });
  summary.addUsage({ usage });
  const metadata = { usage: summary.pricedUsage(plan), cost: summary.costOf(plan) };
  await storeProfile(path, { stored: { profile, summaries }, plan }, { asked: usage, metadata });
  return withSelection(profile, result);
}

/** The statistics that need no model: the stored profile, or one calculated now, which is not stored. */
export async function countDataset(
  result: RunResult,
  { registry }: Pick<AnalyseOptions, 'registry'>,
): Promise<CountedProfile> {
  const known = await readProfile(result.path, result.plan);
  if (known?.isCurrent) return known.stored.profile;
  await using folder = await TemporaryFolder.make();
  return await profileDataset({ ...(await rowsOf(result, folder)), name: result.datasetName, registry });
}

/** The Parquet files of a dataset, converted into a temporary folder if it is stored in another format. */
async function rowsOf({ path, plan }: RunResult, folder: TemporaryFolder) {
  const written = join(folder.path, 'dataset.parquet');
  const files = await filesInFormat({ folder: path, fields: plan.fields }, written, 'parquet');
  return { plan, files, folder: folder.path };
}

/** The profile of a preview's rows; nothing is stored. */
export async function analysePreview(result: PreviewResult, options: AnalyseOptions): Promise<DatasetProfile> {
  const { plan, summary, batches } = result;
  await using folder = await TemporaryFolder.make();
  const path = join(folder.path, 'preview.parquet');
  await exportRows({ records: readStreams(batches), fields: plan.fields }, path, 'parquet');
  const rows = { plan, files: [path], folder: folder.path, stored: {} };
  const counted = await profileDataset({ ...rows, name: 'preview', registry: options.registry });
  const spent = knownCostOf(summary.pricedUsage(plan));
  const { profile, usage } = await summariseJudges(counted, rows, { ...options.probe, spent });
  summary.addUsage({ usage });
  return withUsage(profile, result);
}

function hasFailedSummary({ judges }: CountedProfile): boolean {
  return judges.some(({ scores }) => scores.some(({ isSummaryFailed }) => isSummaryFailed === true));
}

/** A profile with what can change while the files stay: the usage, and the selection of the rows. */
async function withSelection(profile: CountedProfile, result: RunResult): Promise<DatasetProfile> {
  const selection = await profileSelection(result);
  return { ...withUsage(profile, result), ...(selection ? { selection } : {}) };
}

function withUsage(profile: CountedProfile, { plan, summary }: Pick<RunResult, 'plan' | 'summary'>): DatasetProfile {
  const attempts = plan.attempts && { attempts: attemptFigures(plan, summary) };
  const { findings } = summary;
  return { ...profile, usage: summary.pricedUsage(plan), cost: summary.costOf(plan), findings, ...attempts };
}
