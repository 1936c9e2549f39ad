import { NEVER, type Plan, type Row } from '@data-designer/core';
import { recordStart } from '../src/commit/run-metadata.ts';
import { openJob } from '../src/job/job.ts';
import type { RequestedRunOptions } from '../src/run-options.ts';
import type { RunResult } from '../src/run-result.ts';
import { RunSummary } from '../src/run-summary.ts';
import { RowFiles } from '../src/select/row-files.ts';

/** The options of a run, for what a test gives of them. */
export function runOptions(
  given: Pick<RequestedRunOptions, 'artifactPath' | 'datasetName'> & Partial<RequestedRunOptions>,
): RequestedRunOptions {
  const rest = { seed: null, format: undefined, document: {}, onEvent: () => {}, ends: { maxDurationSeconds: null } };
  return { resume: 'never', signal: NEVER, drain: NEVER, ...rest, ...given } as RequestedRunOptions;
}

/** Stores rows as the one row group of a dataset, as a run does that makes them; `sides` are rows of its side tables. */
export async function storeRows(
  plan: Plan,
  options: RequestedRunOptions,
  {
    rows,
    write = async () => {},
  }: { readonly rows: readonly Row[]; readonly write?: (files: RowFiles) => Promise<void> },
): Promise<RunResult> {
  await using job = await openJob(plan, options);
  await job.make({
    make: async ({ folder }) => {
      const { format } = job.options;
      await recordStart(folder, { plan, format, tools: {}, tables: [] }, {});
      const files = new RowFiles(folder.paths, { plan, format, imagesFrom: folder.path });
      await write(files);
      await files.writeRows(0, rows);
      const summary = new RunSummary();
      summary.settleRows(rows.length);
      return { plan, summary, isComplete: true };
    },
  });
  await job.finish();
  job.keep();
  return job.result();
}
