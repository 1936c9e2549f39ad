import type { ScoreProfile } from '@data-designer/profile';
import type { ReactNode } from 'react';
import type { Condition } from '../../../api/filter.ts';
import { formatFigure, pluralize } from '../../format.ts';
import { visibleText } from '../../visible-text.ts';
import { BarList } from '../stats-bars.tsx';
import { NumberHistogram } from './histogram.tsx';

/** The most options of a score with their own bar. */
const OPTIONS = 20;

interface ScoreProps {
  readonly score: ScoreProfile;
  /** Leads to the rows of a bar; absent where there is no table. */
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

/** How often a judge gave each option of a score; numbers in their order, with a histogram whose bars lead to their rows. */
export function ScoreCard({ score: { column, score, distribution, summary }, onPick }: ScoreProps): ReactNode {
  return (
    <article className="card">
      <h3>
        {visibleText(column)}: {visibleText(score)}
      </h3>
      {typeof distribution !== 'object' ? (
        <p className="quiet">Some cells have no score.</p>
      ) : (
        <Distribution distribution={distribution} of={{ column, path: [score, 'score'] }} onPick={onPick} />
      )}
      {summary !== undefined && <p className="text small">{visibleText(summary)}</p>}
    </article>
  );
}

interface DistributionProps {
  readonly distribution: Exclude<ScoreProfile['distribution'], string>;
  readonly of: { readonly column: string; readonly path: readonly string[] };
  readonly onPick: ScoreProps['onPick'];
}

function Distribution({ distribution: { numbers, options, records }, of, onPick }: DistributionProps): ReactNode {
  const figures =
    numbers === null ? '' : `: mean ${formatFigure(numbers.mean)}, median ${formatFigure(numbers.median)}`;
  const caption = `${pluralize(records, 'record')}${figures}`;
  const ordered = numbers === null ? options : options.toSorted((a, b) => Number(a.value) - Number(b.value));
  const shown = ordered.slice(0, OPTIONS);
  return (
    <>
      {numbers !== null && onPick !== undefined ? (
        <NumberHistogram
          caption={caption}
          histogram={numbers.histogram}
          of={{ ...of, op: 'between' }}
          onPick={onPick}
        />
      ) : (
        <p className="quiet small">{caption}</p>
      )}
      <BarList
        bars={shown.map(({ value, records: count }) => ({ label: value, count }))}
        others={ordered.slice(OPTIONS).reduce((sum, { records: count }) => sum + count, 0)}
      />
    </>
  );
}
