import { basename } from 'node:path';
import { attemptFigures } from '@data-designer/engine';
import { countDataset } from '@data-designer/profile';
import type { ProfileAnswer } from '../api/overview.ts';
import { summaryOf } from './summary-of.ts';
import type { ShownDataset } from './shown-dataset.ts';

/** The statistics of a finished dataset: the stored ones, or counted now and not stored. */
export async function profileOf(dataset: ShownDataset): Promise<ProfileAnswer> {
  const { state, rows } = await dataset.monitor.figures();
  if (state === 'running') return { profile: null, note: 'The statistics are counted once the run is finished.' };
  if (rows === 0) return { profile: null, note: 'The dataset has no rows.' };
  const { plan } = await dataset.plan();
  const { folder: path } = dataset.paths;
  const summary = await summaryOf(dataset);
  const result = { path, datasetName: basename(path), plan, summary, ended: undefined };
  const counted = await countDataset(result, { registry: dataset.registry });
  return {
    profile: {
      ...counted,
      usage: summary.pricedUsage(plan),
      cost: summary.costOf(plan),
      findings: summary.findings,
      ...(plan.attempts && { attempts: attemptFigures(plan, summary) }),
    },
    note: null,
  };
}
