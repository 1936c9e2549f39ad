import type { DatasetProfile } from '@data-designer/profile';
import type { DatasetAnalysis } from './dataset-analysis.ts';

/**
 * Profiles a dataset at the first call and keeps the analysis; after a failure the next call tries again. The remarks are
 * sentences that its page shows beside the statistics.
 */
export function analyseOnce(
  profile: () => Promise<DatasetProfile>,
  remarks: () => readonly string[] = () => [],
): () => Promise<DatasetAnalysis> {
  let analysis: Promise<DatasetAnalysis> | undefined;
  const analyse = async (): Promise<DatasetAnalysis> => {
    const made = await profile();
    const { DatasetAnalysis: Analysis } = await import('./dataset-analysis.ts');
    return new Analysis(made, remarks());
  };
  return () => {
    const analysing = (analysis ??= analyse());
    analysing.catch(() => (analysis = undefined));
    return analysing;
  };
}
