import type { ReactNode } from 'react';
import type { Histogram as Counted } from '@data-designer/profile';
import type { Condition } from '../../../api/filter.ts';
import { formatCount, formatRange } from '../../format.ts';
import { visibleText } from '../../visible-text.ts';

const WIDTH = 300;
const HEIGHT = 80;

interface HistogramProps {
  readonly caption: string;
  readonly counts: readonly number[];
  readonly low: string;
  readonly high: string;
  /** The condition of a bar, for a click. */
  readonly conditionOf?: ((bar: number) => Condition) | undefined;
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

/** Counts as bars, with the bounds below. */
export function Histogram({ caption, counts, low, high, conditionOf, onPick }: HistogramProps): ReactNode {
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(counts.length, 1);
  const canPick = onPick !== undefined && conditionOf !== undefined;
  const spread = low === high ? low : `${low} to ${high}`;
  return (
    <figure className="histogram">
      <figcaption className="quiet small">{caption}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${caption}: ${spread}, at most ${formatCount(most)} in one bar`}
      >
        {counts.map((count, at) => (
          <g
            // oxlint-disable-next-line react/no-array-index-key -- a bar has no other name
            key={at}
            className={canPick ? 'pick' : undefined}
            onClick={canPick ? () => onPick(conditionOf(at)) : undefined}
          >
            <title>{formatCount(count)}</title>
            {canPick && <rect className="hit" x={round(at * step)} width={round(step)} height={HEIGHT} />}
            <rect
              className="drawn"
              x={round(at * step)}
              y={round(HEIGHT - (HEIGHT * count) / most)}
              width={round(step * 0.92)}
              height={round((HEIGHT * count) / most)}
            />
          </g>
        ))}
      </svg>
      <div className="axis quiet small">
        <span>{visibleText(low)}</span>
        <span>{low === high ? '' : visibleText(high)}</span>
      </div>
    </figure>
  );
}

function round(length: number): number {
  return Math.round(length * 100) / 100;
}

interface NumbersProps {
  readonly caption: string;
  readonly histogram: Counted;
  /** The column and the operator of the bars; absent where a bar leads nowhere. */
  readonly of?:
    | { readonly column: string; readonly path?: readonly string[]; readonly op: 'between' | 'length' }
    | undefined;
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

/** A histogram of numbers; a bar leads to its rows. */
export function NumberHistogram({ caption, histogram, of, onPick }: NumbersProps): ReactNode {
  const { low, high, counts } = histogram;
  const width = (high - low) / Math.max(counts.length, 1);
  const conditionOf =
    of &&
    ((bar: number): Condition => ({
      ...of,
      low: low + bar * width,
      high: bar === counts.length - 1 ? high : low + (bar + 1) * width,
      ...(bar === counts.length - 1 && { isLast: true }),
    }));
  const [from, to] = formatRange(low, high);
  return <Histogram caption={caption} counts={counts} low={from} high={to} conditionOf={conditionOf} onPick={onPick} />;
}
