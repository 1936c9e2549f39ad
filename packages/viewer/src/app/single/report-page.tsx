import type { ColumnProfile } from '@data-designer/profile';
import type { JSX, ReactNode } from 'react';
import type { DatasetReport, ReportTable, WorkflowReport } from '../../single-pages.ts';
import { formatCount } from '../format.ts';
import { Facts, type ListRow, ListTable, TableRow } from '../parts/facts.tsx';
import { ColumnCard, hasPlots } from '../parts/profile/column-card.tsx';
import { Correlations } from '../parts/profile/correlations.tsx';
import { ScoreCard } from '../parts/profile/score-card.tsx';
import { Conversations, NullPatterns } from '../parts/profile/whole-dataset.tsx';
import { visibleText } from '../visible-text.ts';
import { PageBudget } from './page-budget.ts';
import { withShortTexts } from './short-texts.ts';
import { markup, singleFile } from './single-file.tsx';

/** The characters of a remark. */
const REMARK = 300;

/** The maximum size of the content of a page; tables may take half of it. */
const MAX_BYTES = 880_000;

/** A report of a dataset as one page without scripts, of at most 900 kB. It omits parts that do not fit, and says so. */
export function reportPage(report: DatasetReport): string {
  const budget = new PageBudget(MAX_BYTES);
  return page(`${withShortTexts(report.name)}: dataset profile`, datasetParts(report, budget), budget);
}

/** A report of a workflow as one page: what its stages took, and the report of each. */
export function workflowPage({ name, stages, reports }: WorkflowReport): string {
  const budget = new PageBudget(MAX_BYTES);
  const table = drawTable(stages, budget);
  const links = reports.map(({ stage }, at) => (
    <span key={stage}>
      {at === 0 ? '' : ', '}
      <a href={`#${stageId(stage)}`}>{visibleText(stage)}</a>
    </span>
  ));
  const articles = reports.map(({ stage, report }, at) => {
    // A large stage leaves room for those after it.
    const own = budget.share(reports.length - at);
    const parts = datasetParts(report, own);
    budget.add(own);
    return (
      <article key={stage} id={stageId(stage)} data-stage={stage}>
        {parts}
      </article>
    );
  });
  const head = (
    <>
      <h1>{visibleText(name)}</h1>
      <section data-section="stages">
        <h2>Stages</h2>
        {table}
        <p className="quiet small">Profiles: {links}</p>
      </section>
    </>
  );
  return page(
    `${name}: workflow report`,
    <>
      {head}
      {articles}
    </>,
    budget,
  );
}

function stageId(stage: string): string {
  return `stage-${stage.replaceAll(/\s/g, '-')}`;
}

function page(title: string, parts: ReactNode, { leftOut }: PageBudget): string {
  const body = markup(
    <main className="single report">
      {parts}
      {leftOut > 0 && (
        <p className="quiet">{formatCount(leftOut)} further parts are omitted to limit the size of the page.</p>
      )}
    </main>,
  );
  return singleFile({ title, body });
}

/** The parts of a report in their order; tables take their bytes first, as they say more in less space than plots. */
function datasetParts(report: DatasetReport, budget: PageBudget): ReactNode {
  const { name, facts, remarks, selection, attempts, examples, scores, costs, groups, note } = report;
  const tables = groups.map(({ facts: table }) => drawTable(table, budget, budget.half));
  const choices = selection.map((table) => drawTable(table, budget, budget.half));
  const tried = attempts.map((table) => drawTable(table, budget, budget.half));
  const firstRows = examples.map((table) => drawTable(table, budget, budget.half));
  const judged = cards(scores, budget, (score) => (
    <ScoreCard key={`${score.column} ${score.score}`} score={withShortTexts(score)} />
  ));
  const whole = budget.take([...wholeParts(report), ...costs.map((table) => costPart(table, budget))], (part) => part);
  return (
    <>
      <h1>{visibleText(withShortTexts(name))}</h1>
      {facts.length > 0 && <Facts facts={facts} />}
      {remarks.map((remark) => (
        <p key={remark} className="warn">
          {visibleText(remark.slice(0, REMARK))}
        </p>
      ))}
      {choices.length > 0 && (
        <section data-section="selection">
          <h2>Selection</h2>
          {choices}
        </section>
      )}
      {tried.length > 0 && (
        <section data-section="attempts">
          <h2>Attempts</h2>
          {tried}
        </section>
      )}
      {firstRows.length > 0 && (
        <section data-section="examples">
          <h2>Example rows</h2>
          {firstRows}
        </section>
      )}
      {judged !== null && (
        <section>
          <h2>Judge scores</h2>
          {judged}
        </section>
      )}
      {whole}
      {groups.map((group, at) => (
        <section key={group.columnType} data-section={group.columnType}>
          <h2>{visibleText(group.title)}</h2>
          {tables[at]}
          {cards(group.columns.filter(hasCard), budget, (column) => (
            <ColumnCard key={column.name} column={withShortTexts(column)} />
          ))}
        </section>
      ))}
      {note !== null && <p className="quiet small">{note}</p>}
    </>
  );
}

/** What concerns all columns together. */
function wholeParts({ whole }: DatasetReport): readonly JSX.Element[] {
  if (whole === null) return [];
  const { correlations, nullPatterns, traces } = withShortTexts(whole);
  return [
    <Conversations key="conversations" traces={traces} />,
    ...(correlations === null ? [] : [<Correlations key="correlations" correlations={correlations} />]),
    <NullPatterns key="nulls" patterns={nullPatterns} />,
  ];
}

function costPart(table: ReportTable, budget: PageBudget): JSX.Element {
  return (
    <section key="cost">
      <h2>{table.caption}</h2>
      {drawTable(table, budget)}
    </section>
  );
}

/** Whether a column has more to show than its row in the table. */
function hasCard(column: ColumnProfile): boolean {
  const { constant, inputTokens, outputTokens, valid, fields = [] } = column;
  const isPlotted = constant === undefined && hasPlots(column);
  return isPlotted || fields.some(hasPlots) || [inputTokens, outputTokens, valid].some((one) => one !== undefined);
}

function cards<Part>(parts: readonly Part[], budget: PageBudget, draw: (part: Part) => JSX.Element): ReactNode {
  const kept = budget.take(parts, draw);
  return kept.length === 0 ? null : <div className="cards">{kept.map(draw)}</div>;
}

function drawTable({ caption, headings, rows, texts }: ReportTable, budget: PageBudget, bound?: number): JSX.Element {
  const columns = { headings, texts: headings.flatMap((heading, at) => (texts.includes(heading) ? [at] : [])) };
  const listed = rows.map((row, at): ListRow => ({
    key: String(at),
    cells: headings.map((heading) => visibleText(row[heading] ?? '')),
  }));
  const kept = budget.take(listed, (row) => <TableRow row={row} {...columns} />, bound);
  return <ListTable key={caption} caption={caption} rows={kept} {...columns} />;
}
