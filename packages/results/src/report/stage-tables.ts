import type { DatasetProfile } from '@data-designer/profile';
import { costCell, formatCount, formatDuration } from '@data-designer/printing';
import type { StageCounts, WorkflowSummary } from './workflow-summary.ts';
import type { ColumnFacts } from './column-facts.ts';
import type { ReportSections } from './report-sections.ts';

/** A workflow whose report is written. */
export interface WorkflowReport {
  readonly name: string;
  readonly summary: WorkflowSummary;
  readonly stages: readonly {
    readonly stage: string;
    readonly profile: DatasetProfile;
    readonly sections: ReportSections;
  }[];
}

/** What each stage took, and all of them, as table rows. */
export function stageTable({ stages, total }: WorkflowSummary): readonly ColumnFacts[] {
  return [...stages.map((one) => facts(one.stage, one)), facts('total', total)];
}

function facts(stage: string, counts: StageCounts): ColumnFacts {
  const { rows, requested, missing, requests, failedRequests, inputTokens, outputTokens, seconds } = counts;
  const failed = failedRequests > 0 ? ` (${formatCount(failedRequests)} failed)` : '';
  return {
    stage,
    rows: rows === requested ? formatCount(rows) : `${formatCount(rows)} of ${formatCount(requested)}`,
    ...(missing > 0 ? { missing: formatCount(missing) } : {}),
    requests: `${formatCount(requests)}${failed}`,
    'input tokens': formatCount(inputTokens),
    'output tokens': formatCount(outputTokens),
    cost: costCell({ known: counts.knownCost || counts.cost, unpriced: counts.unpriced }),
    time: seconds === null ? 'unknown' : formatDuration(seconds),
  };
}
