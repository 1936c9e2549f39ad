import { checkOptions } from '@data-designer/config';
import type { DatasetProfile } from '@data-designer/profile';
import { REPORT_RULES, type ReportOptions, resolveSections, type WorkflowSummary } from '@data-designer/results';
import { withColours } from '@data-designer/printing';

/** The parts of an analysis. */
interface WorkflowAnalysisParts {
  readonly name: string;
  readonly summary: WorkflowSummary;
  readonly profiles: ReadonlyMap<string, DatasetProfile>;
}

/** Statistics of all stages of a workflow, with their usage, cost and time, as plain data and as a report. */
export class WorkflowAnalysis {
  /** The name of the workflow. */
  readonly name: string;
  /** The rows, usage, cost and time of each stage, and in total. */
  readonly summary: WorkflowSummary;
  /** The statistics of each stage, in order. */
  readonly profiles: ReadonlyMap<string, DatasetProfile>;

  constructor({ name, summary, profiles }: WorkflowAnalysisParts) {
    this.name = name;
    this.summary = summary;
    this.profiles = profiles;
  }

  /** The figures as plain data. */
  toJSON(): object {
    const { stages, total } = this.summary;
    const profiled = stages.map((stage) => ({ ...stage, profile: this.profiles.get(stage.stage) ?? null }));
    return { name: this.name, total, stages: profiled };
  }

  /**
   * Returns the report as text for a terminal, or with `savePath` writes and returns a self-contained HTML page, or a
   * picture of that text: the usage, cost and time of the stages, and a section for each stage. Throws as `toReport()`
   * of a dataset's analysis.
   */
  async toReport(options: ReportOptions = {}): Promise<string> {
    checkOptions(options, REPORT_RULES, 'toReport()');
    const { savePath, includeSections } = options;
    const stages = [...this.profiles].map(([stage, profile]) => ({
      stage,
      profile,
      sections: resolveSections(profile, includeSections),
    }));
    const report = { name: this.name, summary: this.summary, stages };
    const print = async (): Promise<string> => {
      const { workflowText } = await import('@data-designer/results/terminal-report');
      return workflowText(report);
    };
    if (savePath === undefined) return print();
    const { writePage } = await import('@data-designer/printing/write-page');
    return writePage(savePath, {
      '.html': async () => {
        const { workflowPage } = await import('@data-designer/results/html-report');
        return workflowPage(report);
      },
      '.svg': async () => {
        const { terminalPicture } = await import('@data-designer/printing/terminal-picture');
        return terminalPicture(await withColours(print), { label: `Report of ${this.name}` });
      },
    });
  }
}
