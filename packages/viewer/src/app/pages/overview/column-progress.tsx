import type { ReactNode } from 'react';
import type { Overview } from '../../../api/overview.ts';
import { withParams } from '../../address.ts';
import { datasetParams } from '../../filter-params.ts';
import { formatCount, formatFigure } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { Link } from '../../parts/link.tsx';
import { Meter } from '../../parts/stats-bars.tsx';
import { useAddress } from '../../use-address.ts';
import { visibleText } from '../../visible-text.ts';
import { lossesOf } from './overview-tables.tsx';

/** The progress of each column: finished cells, requests in flight, the rate and the rows lost to it. */
export function ColumnProgressTable({ overview }: { readonly overview: Overview }): ReactNode {
  const { params } = useAddress();
  const own = datasetParams(params);
  const { progress } = overview;
  const lost = lossesOf(overview);
  const isRunning = overview.state === 'running';
  if (progress === null || progress.columns.length === 0) return null;
  // With a selection, the cells are those of candidates.
  const wanted = Math.max(progress.selection?.planned ?? progress.rows.wanted, 1);
  return (
    <section>
      <h2>Columns</h2>
      <ListTable
        caption="Progress by column"
        headings={['Column', 'Progress', 'Cells', 'In flight', 'Cells per second', 'Lost rows']}
        numeric={[2, 3, 4, 5]}
        rows={progress.columns.map(({ column: name, done, inFlight, perSecond }) => {
          const failed = lost.reduce((sum, { column, rows }) => (column === name ? sum + rows : sum), 0);
          return {
            key: name,
            cells: [
              <Link key="column" page="table" params={withParams(own, { pin: name })}>
                {visibleText(name)}
              </Link>,
              <Meter key="share" share={done / wanted} />,
              formatCount(done),
              isRunning ? formatCount(inFlight) : '',
              !isRunning ? '' : done >= wanted ? 'finished' : formatFigure(perSecond),
              failed === 0 ? (
                '0'
              ) : (
                <Link key="failed" page="failures" params={withParams(own, { column: name })}>
                  {formatCount(failed)}
                </Link>
              ),
            ],
          };
        })}
      />
    </section>
  );
}
