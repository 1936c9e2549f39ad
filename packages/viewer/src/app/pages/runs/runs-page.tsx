import { type ReactNode, useEffect, useState } from 'react';
import type { DatasetEntry, DatasetList } from '../../../api/datasets.ts';
import type { RunFacts } from '../../../api/overview.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useVisible } from '../../data/use-visible.ts';
import { costCell, formatCount, formatFigure, formatSeconds, formatShare } from '../../format.ts';
import { TableRow } from '../../parts/facts.tsx';
import { Link } from '../../parts/link.tsx';
import { describeRunState } from '../../parts/run-states.ts';
import { visibleText } from '../../visible-text.ts';

const HEADINGS = ['Dataset', 'State', 'Rows', 'Cost', 'Mean score', 'Failed cells', 'Time', 'Workflow', 'Last change'];
const NUMERIC = [2, 3, 5, 6];
const TEXTS = [4];

/** A run is asked for its figures again after this time while it is at work, and after that one once it is over. */
const RUNNING_MS = 2000;
const ENDED_MS = 15_000;

/** The runs of a folder, each with its state and its figures; a name leads to its pages. */
export function RunsPage({ list }: { readonly list: DatasetList }): ReactNode {
  return (
    <div className="stack">
      <h2>Runs in {visibleText(list.title)}</h2>
      {/* The region scrolls, so a keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Runs">
        <table className="list-table runs-table">
          <thead>
            <tr>
              {HEADINGS.map((heading, at) => (
                <th key={heading} scope="col" className={NUMERIC.includes(at) ? 'num' : undefined}>
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.datasets.map((entry) => (
              <RunRow key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function RunRow({ entry }: { readonly entry: DatasetEntry }): ReactNode {
  const { data, error } = useFacts(entry);
  const name = (
    <Link key="name" page="overview" params={new URLSearchParams({ d: entry.id })}>
      {visibleText(entry.name)}
    </Link>
  );
  const cells = data ? factCells(data) : [error === undefined ? '…' : visibleText(error), '', '', '', '', ''];
  const changed = data?.changedAt == null ? '' : new Date(data.changedAt).toLocaleString();
  return (
    <TableRow
      headings={HEADINGS}
      numeric={NUMERIC}
      texts={TEXTS}
      row={{ key: entry.id, cells: [name, ...cells, visibleText(entry.workflow ?? ''), changed] }}
    />
  );
}

function factCells({
  state,
  rows,
  wanted,
  cells,
  cost,
  unpriced,
  scores,
  failedCells,
  elapsedMs,
}: RunFacts): readonly ReactNode[] {
  const [className, text] = describeRunState({ state, rows });
  return [
    <span key="state" className={className}>
      {text}
    </span>,
    rows === wanted
      ? formatCount(rows)
      : `${formatCount(rows)} of ${formatCount(wanted)}${cells === null ? '' : `, ${formatShare(cells.done / cells.wanted)} of cells`}`,
    cost === null ? 'no price' : costCell({ known: cost, unpriced }),
    scores.map(({ name, mean }) => `${visibleText(name)} ${formatFigure(mean)}`).join(', '),
    formatCount(failedCells),
    elapsedMs === null ? '' : formatSeconds(elapsedMs / 1000),
  ];
}

/** The figures of a run, asked for again as long as the tab is shown. */
function useFacts({ id }: DatasetEntry): { readonly data?: RunFacts; readonly error?: string } {
  const source = useSource();
  const isVisible = useVisible();
  const [looks, setLooks] = useState(0);
  const found = useData(`run ${id} ${looks}`, (signal) => source.ask('run', { dataset: id }, signal));
  const { data, isLoading } = found;
  const waitMs = data?.state === 'running' ? RUNNING_MS : ENDED_MS;
  useEffect(() => {
    if (isLoading || !isVisible || source.watch === undefined) return undefined;
    const soon = setTimeout(() => setLooks((times) => times + 1), waitMs);
    return () => clearTimeout(soon);
  }, [isLoading, isVisible, source, waitMs]);
  return found;
}
