import { lazy, type ReactNode, Suspense } from 'react';
import type { Overview } from '../../../api/overview.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams } from '../../filter-params.ts';
import { formatCost, formatCount, formatFigure, formatSeconds, formatShare, formatTimeLeft } from '../../format.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { Link } from '../../parts/link.tsx';
import { cellsOf } from '../../../run-cells.ts';
import { describeCells, endTimes, lostRowsOf, uncountedColumns } from '../../parts/run-progress.ts';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';
import { RunHealth } from '../live/run-health.tsx';
import { AttemptTables } from './attempt-table.tsx';
import { ColumnProgressTable } from './column-progress.tsx';
import { FlawTable } from './flaw-table.tsx';
import { LossTable, MachineTable, ModelTable, ToolTable, usageSoFar, UsageTable } from './overview-tables.tsx';
import { ProfilePanel } from './profile-panel.tsx';

const RatePlots = lazy(() => import('./rate-plots.tsx').then(({ RatePlots: component }) => ({ default: component })));

/** The progress of the run, its models, its losses, and the profile of the finished dataset. */
export function OverviewPage(): ReactNode {
  const { overview } = useDataset();
  return (
    <div className="stack overview">
      <StateNotice overview={overview} />
      <Headline overview={overview} />
      <RunHealth />
      <ColumnProgressTable overview={overview} />
      {overview.history.length > 1 && (
        <section>
          <h2>Rates</h2>
          <Suspense fallback={<p className="quiet">Loading the plots…</p>}>
            <RatePlots history={overview.history} isRunning={overview.state === 'running'} />
          </Suspense>
        </section>
      )}
      <MachineTable overview={overview} />
      <ModelTable overview={overview} />
      <UsageTable overview={overview} />
      <ToolTable overview={overview} />
      <AttemptTables overview={overview} />
      <FlawTable overview={overview} />
      <LossTable overview={overview} />
      <ProfilePanel />
    </div>
  );
}

function StateNotice({ overview: { state, rows, wanted, process } }: { readonly overview: Overview }): ReactNode {
  if (state !== 'dead') return null;
  const by =
    process === null ? '' : ` (process ${process.pid} on ${process.host}, last report ${timeOf(process.reportedAt)})`;
  return (
    <p className="notice error" role="status">
      The run stopped without finishing{visibleText(by)}. {formatCount(rows)} of {formatCount(wanted)} rows are saved;
      continue with <code>data-designer create … --resume always</code>.
    </p>
  );
}

function timeOf(iso: string): string {
  return new Date(iso).toLocaleString();
}

/** The cost of the answers with a price, and the models without one. */
function costSoFar(overview: Overview): Fact {
  const used = [...usageSoFar(overview)].filter(([, { requests }]) => requests > 0);
  const priced = used.filter(([, { cost }]) => cost !== null);
  const others = used.filter(([, { cost }]) => cost === null).map(([alias]) => visibleText(alias));
  const word = overview.state === 'running' ? 'cost so far' : 'cost';
  const name = others.length === 0 ? word : `${word}, without ${others.join(', ')}`;
  return [name, priced.length === 0 ? null : formatCost(priced.reduce((sum, [, { cost }]) => sum + (cost ?? 0), 0))];
}

function Headline({ overview }: { readonly overview: Overview }): ReactNode {
  const { progress, rows, wanted, selection, failedCells, state, history, process } = overview;
  const { params } = useAddress();
  const own = datasetParams(params);
  const lost = lostRowsOf(overview);
  const isRunning = state === 'running';
  const cells = progress !== null && isRunning ? cellsOf(progress) : null;
  const elapsedMs = progress?.elapsedMs ?? (history.at(-1)?.at ?? 0) - (history[0]?.at ?? 0);
  return (
    <Facts
      facts={[
        [
          'rows',
          <Link key="rows" page="table" params={own}>
            {formatCount(isRunning ? (progress?.rows.done ?? rows) : rows)} of {formatCount(wanted)}
          </Link>,
        ],
        ['rows in the table', isRunning && progress !== null ? formatCount(rows) : null],
        [
          'rows finished',
          progress === null || !isRunning ? null : formatShare(progress.rows.done / Math.max(progress.rows.wanted, 1)),
        ],
        ['cells finished', cells === null ? null : describeCells(cells)],
        ['rows per second', progress === null || !isRunning ? null : formatFigure(progress.rows.perSecond)],
        [
          'cells per second',
          progress === null || cells === null
            ? null
            : formatFigure(progress.columns.reduce((sum, { perSecond }) => sum + perSecond, 0)),
        ],
        [
          'time left',
          progress === null || !isRunning || progress.etaSeconds === null
            ? null
            : progress.etaRange
              ? formatTimeLeft(progress.etaSeconds, progress.etaRange)
              : formatSeconds(progress.etaSeconds),
        ],
        ['ends', progress === null || !isRunning || !process ? null : endTimes(progress, process.reportedAt)],
        [
          'time left is without',
          progress === null || !isRunning || uncountedColumns(progress).length === 0
            ? null
            : `${visibleText(uncountedColumns(progress).join(', '))} (no answer yet)`,
        ],
        ['time', elapsedMs <= 0 ? null : formatSeconds(elapsedMs / 1000)],
        [
          'lost rows',
          <Link key="lost" page="failures" params={own}>
            {formatCount(lost)}
          </Link>,
        ],
        [
          'failed cells',
          <Link key="failed" page="failures" params={own}>
            {formatCount(failedCells)}
          </Link>,
        ],
        costSoFar(overview),
        ['cost forecast', progress?.cost.forecast == null || !isRunning ? null : formatCost(progress.cost.forecast)],
        ['budget left', progress?.cost.left == null ? null : formatCost(progress.cost.left)],
        [
          'candidates',
          selection === null ? null : (
            <Link key="candidates" page="failures" params={own}>
              {formatCount(selection.candidates)}
            </Link>
          ),
        ],
        [
          'row groups',
          progress === null || !isRunning ? null : (
            <Link key="groups" page="live" params={own}>
              {formatCount(progress.groups.done)} of {formatCount(progress.groups.total)}
            </Link>
          ),
        ],
      ]}
    />
  );
}
