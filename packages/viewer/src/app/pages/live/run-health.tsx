import type { ReactNode } from 'react';
import type { FailureGroup } from '../../../api/failures.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { datasetParams } from '../../filter-params.ts';
import { formatFigure, pluralize } from '../../format.ts';
import { Link } from '../../parts/link.tsx';
import { describeProblems, describeWaiting, lostRowsOf } from '../../parts/run-progress.ts';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';
import { meanScore } from '../compare/dataset-deltas.tsx';

/** Whether a run at work goes well: its failed cells, its scores so far, and rows that the table does not have yet. */
export function RunHealth(): ReactNode {
  const { entry, overview, version } = useDataset();
  const source = useSource();
  const { params } = useAddress();
  const isRunning = overview.state === 'running';
  const lost = lostRowsOf(overview);
  const failures = useData(isRunning ? `problems ${entry.id} ${version} ${lost}` : undefined, (signal) =>
    source.ask('failures', { dataset: entry.id }, signal),
  );
  const judges = [...new Set(overview.scores.flatMap(({ member }) => member?.column ?? []))];
  const hasScores = isRunning && overview.rows > 0 && judges.length > 0;
  const scored = useData(hasScores ? `scores ${entry.id} ${version}` : undefined, (signal) =>
    source.ask('stats', { dataset: entry.id, columns: judges }, signal),
  );
  if (!isRunning) return null;
  const groups: readonly FailureGroup[] | undefined = failures.data?.groups;
  const means = overview.scores.flatMap(({ name }) => {
    const mean = scored.data && meanScore({ overview, stats: scored.data.stats }, name);
    return mean === null || mean === undefined ? [] : `${visibleText(name)} ${formatFigure(mean)}`;
  });
  const waiting = describeWaiting(overview);
  return (
    <div role="status" className="run-health">
      {groups !== undefined && (
        <p>
          <Link page="failures" params={datasetParams(params)}>
            {describeProblems(groups, lost)}
          </Link>
        </p>
      )}
      {means.length > 0 && (
        <p>
          Mean scores of {pluralize(overview.rows, 'row')} so far: {means.join(' · ')}
        </p>
      )}
      {waiting !== undefined && <p className="quiet small">{waiting}</p>}
    </div>
  );
}
