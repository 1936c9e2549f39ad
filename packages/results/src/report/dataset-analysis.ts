import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import type { ColumnProfile, DatasetProfile } from '@data-designer/profile';
import { withColours } from '@data-designer/printing';
import { resolveSections } from './report-sections.ts';

/** The options of a report. */
export interface ReportOptions {
  /** An `.html` or `.svg` file to write; default: return text for a terminal. */
  readonly savePath?: string | undefined;
  /** `overview`, `examples`, `column_profilers`, `dataset` and column types; default: all. */
  readonly includeSections?: readonly string[] | undefined;
}

/** `resolveSections` checks the sections. */
export const REPORT_RULES: OptionRules<ReportOptions> = { savePath: optionRule.text, includeSections: optionRule.list };

/** Statistics of a dataset, as plain data and as a report. */
export class DatasetAnalysis {
  /** The statistics as plain data. */
  readonly profile: DatasetProfile;
  readonly #remarks: readonly string[];

  constructor(profile: DatasetProfile, remarks: readonly string[] = []) {
    this.profile = profile;
    this.#remarks = remarks;
  }

  /** The records made in percent of those requested, with two decimals. */
  get percentComplete(): number {
    const { records, wanted } = this.profile;
    return wanted === 0 ? 0 : Math.round((100 * 100 * records) / wanted) / 100;
  }

  /** The `column_type` of every profiled column, each once. */
  get columnTypes(): readonly string[] {
    return [...new Set(this.profile.columns.map(({ columnType }) => columnType))];
  }

  /** The profiles of the columns with a `column_type`, such as `llm-text`; none if there is no such column. */
  getColumnStatisticsByType(columnType: string): readonly ColumnProfile[] {
    return this.profile.columns.filter((column) => column.columnType === columnType);
  }

  /**
   * Returns the report as text for a terminal, or with `savePath` writes and returns a self-contained HTML page, or a picture
   * of that text. Throws `report/invalid-option` for another extension or an unknown section, and `dataset/unwritable`.
   */
  async toReport(options: ReportOptions = {}): Promise<string> {
    checkOptions(options, REPORT_RULES, 'toReport()');
    const { savePath, includeSections } = options;
    const sections = resolveSections(this.profile, includeSections);
    const print = async (): Promise<string> => {
      const { terminalReport } = await import('./terminal-report.ts');
      return terminalReport(this.profile, sections);
    };
    if (savePath === undefined) return print();
    const { writePage } = await import('@data-designer/printing/write-page');
    return writePage(savePath, {
      '.html': async () => {
        const { htmlReport } = await import('./html-report.ts');
        return htmlReport(this.profile, { sections, remarks: this.#remarks });
      },
      '.svg': async () => {
        const { terminalPicture } = await import('@data-designer/printing/terminal-picture');
        return terminalPicture(await withColours(print), { label: `Profile of ${this.profile.name}` });
      },
    });
  }
}
