import { join } from 'node:path';
import { type DatasetProfile, NOT_CALCULATED, percentOf } from '@data-designer/profile';
import {
  type DatasetReport,
  loadSinglePages,
  type ReportTable,
  type SinglePages,
} from '@data-designer/viewer/single-pages';
import { packageFolder } from '@data-designer/declaration';
import {
  addCosts,
  describeCost,
  describeFindings,
  filledHeadings,
  formatCost,
  formatCount,
} from '@data-designer/printing';
import { ATTEMPT_TEXTS, attemptTables } from './attempt-tables.ts';
import { type ColumnFacts, columnFacts, printPercent, TEXT_HEADINGS } from './column-facts.ts';
import { exampleRows } from './example-rows.ts';
import { columnGroups, isShown, type ReportSections } from './report-sections.ts';
import { SELECTION_TEXTS, selectionTables } from './selection-tables.ts';
import { stageTable, type WorkflowReport } from './stage-tables.ts';

/** A profile as one self-contained page without scripts. The remarks go beside those of the profile. */
export async function htmlReport(
  profile: DatasetProfile,
  { sections, remarks }: { readonly sections: ReportSections; readonly remarks: readonly string[] },
): Promise<string> {
  const { reportPage } = await singlePages();
  const report = reportOf(profile, sections);
  return reportPage(isShown(sections, 'overview') ? { ...report, remarks: [...report.remarks, ...remarks] } : report);
}

/** A workflow as one page: what its stages took, and the profile of each. */
export async function workflowPage({ name, summary, stages }: WorkflowReport): Promise<string> {
  const { workflowPage: draw } = await singlePages();
  const reports = stages.map(({ stage, profile, sections }) => ({ stage, report: reportOf(profile, sections) }));
  return draw({ name, stages: table('Stages', stageTable(summary), ['stage']), reports });
}

function singlePages(): Promise<SinglePages> {
  return loadSinglePages(join(packageFolder(), 'dist', 'single-pages'));
}

function reportOf(profile: DatasetProfile, sections: ReportSections): DatasetReport {
  const { correlations, nullPatterns, traces } = profile;
  const hasOverview = isShown(sections, 'overview');
  const isWhole = isShown(sections, 'dataset');
  const rows = isShown(sections, 'examples') && profile.records > 0 ? exampleRows(profile) : [];
  return {
    name: profile.name,
    facts: hasOverview ? factsOf(profile) : [],
    remarks: hasOverview ? describeFindings(profile.findings) : [],
    selection: hasOverview ? selectionTables(profile).map((one) => table('Selection', one, SELECTION_TEXTS)) : [],
    attempts: hasOverview ? attemptTables(profile).map((one) => table('Attempts', one, ATTEMPT_TEXTS)) : [],
    examples: rows.length > 0 ? [table('Example rows', rows, Object.keys(rows[0] ?? {}))] : [],
    scores: isShown(sections, 'column_profilers') ? profile.judges.flatMap(({ scores }) => scores) : [],
    whole: isWhole ? { correlations, nullPatterns, traces } : null,
    costs: isWhole ? costsOf(profile) : [],
    groups: columnGroups(profile, sections).map((group) => ({
      ...group,
      facts: table(group.title, group.columns.flatMap(columnFacts), TEXT_HEADINGS),
    })),
    note: noteOn(profile),
  };
}

function table(caption: string, rows: readonly ColumnFacts[], texts: readonly string[]): ReportTable {
  return { caption, headings: filledHeadings(rows), rows, texts };
}

function factsOf({ records, wanted, columns, usage }: DatasetProfile): DatasetReport['facts'] {
  const models = Object.values(usage);
  const cost = addCosts(usage);
  const sum = (of: (one: (typeof models)[number]) => number) => models.reduce((all, one) => all + of(one), 0);
  return [
    ['records', formatCount(records)],
    ['complete', printPercent(percentOf(records, wanted))],
    ['columns', formatCount(columns.length)],
    ...(models.length === 0
      ? []
      : ([
          ['requests', formatCount(sum((one) => one.requests))],
          ['tokens read', formatCount(sum((one) => one.inputTokens))],
          ['tokens written', formatCount(sum((one) => one.outputTokens))],
        ] as const)),
    ...(cost.known ? [['cost', describeCost(cost) ?? ''] as const] : []),
  ];
}

function costsOf({ usage }: DatasetProfile): readonly ReportTable[] {
  const paid = Object.entries(usage).flatMap(([model, { cost, requests }]) => {
    if (cost === null) return requests > 0 ? [{ model, cost: 'unknown' }] : [];
    return cost > 0 ? [{ model, cost: formatCost(cost) }] : [];
  });
  return addCosts(usage).known ? [table('Cost', paid, [])] : [];
}

function noteOn({ columns }: DatasetProfile): string | null {
  const answers = columns.flatMap(({ outputTokens }) =>
    typeof outputTokens === 'object' ? [outputTokens.records] : [],
  );
  const prompts = columns.flatMap(({ inputTokens }) => (typeof inputTokens === 'object' ? [inputTokens.records] : []));
  if (answers.length + prompts.length === 0) return null;
  return `Tokens are counted by cl100k_base, as median ± standard deviation: prompts over up to ${formatLargest(prompts)} records, answers over up to ${formatLargest(answers)}. Tool turns and corrections are not included. ${NOT_CALCULATED}: the figure could not be calculated.`;
}

function formatLargest(counts: readonly number[]): string {
  return formatCount(Math.max(0, ...counts));
}
