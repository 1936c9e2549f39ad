import { type ReactNode, useEffect, useState } from 'react';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { useVisible } from '../../data/use-visible.ts';
import { formatCount, pluralize } from '../../format.ts';
import { ListTable } from '../../parts/facts.tsx';
import { visibleText } from '../../visible-text.ts';

/** The time from an answer to the next look. */
const LOOK_MS = 1000;

/** The cells of rows that a run has begun and not finished, as the models answered them. */
export function RowsInTheMaking(): ReactNode {
  const { entry, overview } = useDataset();
  const source = useSource();
  const isVisible = useVisible();
  const [looks, setLooks] = useState(0);
  const isRunning = overview.state === 'running';
  const { data, isLoading } = useData(isRunning ? `making ${entry.id} ${looks}` : undefined, (signal) =>
    source.ask('making', { dataset: entry.id }, signal),
  );
  useEffect(() => {
    if (!isRunning || isLoading || !isVisible) return undefined;
    const soon = setTimeout(() => setLooks((times) => times + 1), LOOK_MS);
    return () => clearTimeout(soon);
  }, [isRunning, isLoading, isVisible]);
  if (!isRunning || data === undefined || data.rows.length === 0) return null;
  const { rows, total, columns } = data;
  const more = total > rows.length ? `, the first ${formatCount(rows.length)} of them here` : '';
  return (
    <details className="making" open>
      <summary>
        {pluralize(total, 'row')} in the making{more}
      </summary>
      <ListTable
        caption="Rows in the making"
        headings={['Planned row', ...columns.map(visibleText)]}
        rows={rows.map(({ row, cells }) => ({
          key: String(row),
          cells: [formatCount(row), ...cells.map((text) => (text === null ? '…' : visibleText(text)))],
        }))}
      />
    </details>
  );
}
