import type { DatasetProfile } from '@data-designer/profile';
import type { ReactNode } from 'react';
import type { Condition } from '../../../api/filter.ts';
import { formatShare } from '../../format.ts';
import { visibleText } from '../../visible-text.ts';
import { ListTable } from '../facts.tsx';
import { ColumnCard } from './column-card.tsx';
import { Correlations } from './correlations.tsx';
import { ScoreCard } from './score-card.tsx';
import { Conversations, NullPatterns } from './whole-dataset.tsx';

interface ProfileProps {
  readonly profile: DatasetProfile;
  /** Leads to the rows of a bar; absent where there is no table. */
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

/** The profile of a finished dataset: each column, judge scores, correlations, missing values, conversations. */
export function ProfileView({ profile, onPick }: ProfileProps): ReactNode {
  const { columns, judges, correlations, nullPatterns, traces, selection } = profile;
  const scores = judges.flatMap((judge) => judge.scores);
  return (
    <div className="stack">
      {scores.length > 0 && (
        <section>
          <h2>Judge scores</h2>
          <div className="cards">
            {scores.map((score) => (
              <ScoreCard key={`${score.column} ${score.score}`} score={score} onPick={onPick} />
            ))}
          </div>
        </section>
      )}
      <section>
        <h2>Columns</h2>
        <div className="cards">
          {columns.map((column) => (
            <ColumnCard key={column.name} column={column} onPick={onPick} />
          ))}
        </div>
      </section>
      {correlations !== null && <Correlations correlations={correlations} />}
      <NullPatterns patterns={nullPatterns} />
      <Conversations traces={traces} />
      {selection?.damage !== undefined && (
        <p role="status">The shares of the candidates cannot be counted: {visibleText(selection.damage)}</p>
      )}
      {selection !== undefined && selection.shares.length > 0 && (
        <section>
          <h2>Selection</h2>
          <ListTable
            caption="Shares of values before and after the selection"
            headings={['Column', 'Value', 'Candidates', 'Accepted rows']}
            numeric={[2, 3]}
            rows={selection.shares.flatMap(({ column, values }) =>
              values.map(({ value, before, after }) => ({
                key: `${column} ${value}`,
                cells: [visibleText(column), visibleText(value), formatShare(before), formatShare(after)],
              })),
            )}
          />
        </section>
      )}
    </div>
  );
}
