import type { DatasetProfile } from '@data-designer/profile';
import { type ReportSection, resolveSections } from './report-sections.ts';

/** What a report is made of, and where it goes. */
export interface ReportOptions {
  /** An `.html` file; without it the report is text for a terminal. */
  readonly savePath?: string;
  /** Overview, column_profilers, dataset, and types of columns; all unless given. */
  readonly includeSections?: readonly string[];
}

/** Statistics of a dataset: as plain data, and as a report to be read. */
export class DatasetAnalysis {
  /** All that is known, as plain data. */
  readonly profile: DatasetProfile;

  constructor(profile: DatasetProfile) {
    this.profile = profile;
  }

  /**
   * The report as text for a terminal, or with `savePath` as one `.html` file that needs nothing else; gives the text or
   * the page. Throws `report/invalid-option` for another ending or a section that there is not, and `dataset/unwritable`.
   */
  async toReport({ savePath, includeSections }: ReportOptions = {}): Promise<string> {
    const sections: ReadonlySet<ReportSection> | undefined = resolveSections(this.profile, includeSections);
    if (savePath === undefined) {
      const { terminalReport } = await import('./terminal-report.ts');
      return terminalReport(this.profile, sections);
    }
    const { htmlReport } = await import('./html-report.ts');
    const { writePage } = await import('../printing/write-page.ts');
    return writePage(savePath, () => htmlReport(this.profile, sections));
  }
}
