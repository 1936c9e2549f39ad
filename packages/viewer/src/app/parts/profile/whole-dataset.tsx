import type { DatasetProfile } from '@data-designer/profile';
import type { ReactNode } from 'react';
import { formatCount, formatFigure } from '../../format.ts';
import { visibleText } from '../../visible-text.ts';
import { ListTable } from '../facts.tsx';
import { BarList } from '../stats-bars.tsx';
import { NumberHistogram } from './histogram.tsx';

/** The names of a pattern that are shown; more would not fit next to their bar. */
const MAX_NAMES = 200;

/** Columns that are null in the same records. */
export function NullPatterns({ patterns }: { readonly patterns: DatasetProfile['nullPatterns'] }): ReactNode {
  if (patterns.length === 0) return null;
  return (
    <section>
      <h2>Columns that are null together</h2>
      <BarList
        bars={patterns.map(({ columns, records }) => ({ label: shortList(columns), count: records }))}
        others={0}
      />
    </section>
  );
}

function shortList(names: readonly string[]): string {
  const list = names.join(', ');
  return list.length > MAX_NAMES ? `${list.slice(0, MAX_NAMES)}…` : list;
}

/** The length of conversations and the tools that they call, by column. */
export function Conversations({ traces }: { readonly traces: DatasetProfile['traces'] }): ReactNode {
  if (traces.length === 0) return null;
  const tools = traces.flatMap(({ column, tools: used }) =>
    typeof used === 'object' ? used.map((tool) => ({ column, ...tool })) : [],
  );
  const byTurn = traces.flatMap(({ column, toolTurns }) =>
    typeof toolTurns === 'object' ? toolTurns.map((turn) => ({ column, ...turn })) : [],
  );
  return (
    <section>
      <h2>Conversations</h2>
      <div className="cards">
        {traces.map(
          ({ column, turns, lengths, ends }) =>
            typeof turns === 'object' && (
              <article key={column} className="card">
                <h3>{visibleText(column)}</h3>
                <NumberHistogram
                  caption={`turns: mean ${formatFigure(turns.mean)}, median ${formatFigure(turns.median)}`}
                  histogram={turns.histogram}
                />
                {typeof lengths === 'object' && (
                  <NumberHistogram
                    caption={`characters: mean ${formatFigure(lengths.mean)}, median ${formatFigure(lengths.median)}`}
                    histogram={lengths.histogram}
                  />
                )}
                {typeof ends === 'object' && (
                  <BarList bars={ends.map(({ value, records }) => ({ label: value, count: records }))} others={0} />
                )}
              </article>
            ),
        )}
      </div>
      {tools.length === 0 ? (
        <p className="quiet">No tool was called.</p>
      ) : (
        <ListTable
          caption="Tool calls by column"
          headings={['Column', 'Tool', 'Calls', 'Failed']}
          numeric={[2, 3]}
          rows={tools.map(({ column, name, calls, failed }) => ({
            key: `${column} ${name}`,
            cells: [visibleText(column), visibleText(name), formatCount(calls), formatCount(failed)],
          }))}
        />
      )}
      {byTurn.length > 0 && (
        <ListTable
          caption="Tool calls by turn"
          headings={['Column', 'Turn', 'Conversations', 'Calls']}
          numeric={[1, 2, 3]}
          rows={byTurn.map(({ column, turn, conversations, calls }) => ({
            key: `${column} ${turn}`,
            cells: [visibleText(column), String(turn), formatCount(conversations), formatCount(calls)],
          }))}
        />
      )}
    </section>
  );
}
