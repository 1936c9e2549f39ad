import type { DataDesignerOptions } from '../data-designer-options.ts';

/** What the server of datasets works with, and what its clients may do. */
export interface ServeSettings {
  /** Providers, home folder, run settings, prices and permissions, as for any run. */
  readonly common: Omit<DataDesignerOptions, 'artifactPath'>;
  /** Where datasets are made and read. */
  readonly artifactPath: string;
  /** Records that one call may ask for, at most. */
  readonly maxRecords: number;
  /** What everything that is made here may cost together; no bound where undefined. */
  readonly maxCost?: number | undefined;
}
