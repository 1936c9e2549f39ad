import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import type { DatasetProfile } from '@data-designer/profile';
import { resolveSections } from './report-sections.ts';

/** The options of a report. */
export interface ReportOptions {
  /** An `.html` file to write; default: return text for a terminal. */
  readonly savePath?: string | undefined;
  /** `overview`, `examples`, `column_profilers`, `dataset` and column types; default: all. */
  readonly includeSections?: readonly string[] | undefined;
}

/** `resolveSections` checks the sections. */
const RULES: OptionRules<ReportOptions> = { savePath: optionRule.text, includeSections: optionRule.list };

/** Statistics of a dataset, as plain data and as a report. */
export class DatasetAnalysis {
  /** The statistics as plain data. */
  readonly profile: DatasetProfile;

  constructor(profile: DatasetProfile) {
    this.profile = profile;
  }

  /**
   * Returns the report as text for a terminal, or with `savePath` writes and returns a self-contained HTML page. Throws
   * `report/invalid-option` for another extension or an unknown section, and `dataset/unwritable`.
   */
  async toReport(options: ReportOptions = {}): Promise<string> {
    checkOptions(options, RULES, 'toReport()');
    const { savePath, includeSections } = options;
    const sections = resolveSections(this.profile, includeSections);
    if (savePath === undefined) {
      const { terminalReport } = await import('./terminal-report.ts');
      return terminalReport(this.profile, sections);
    }
    const { htmlReport } = await import('./html-report.ts');
    const { writePage } = await import('../printing/write-page.ts');
    return writePage(savePath, () => htmlReport(this.profile, sections));
  }
}

/** Profiles a dataset at the first call and keeps the analysis; after a failure the next call tries again. */
export function analyseOnce(profile: () => Promise<DatasetProfile>): () => Promise<DatasetAnalysis> {
  let analysis: Promise<DatasetAnalysis> | undefined;
  return () => {
    const analysing = (analysis ??= profile().then((made) => new DatasetAnalysis(made)));
    analysing.catch(() => (analysis = undefined));
    return analysing;
  };
}
