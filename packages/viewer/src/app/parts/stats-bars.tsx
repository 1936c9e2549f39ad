import { type ReactNode, useRef, useState } from 'react';
import type { Condition } from '../../api/filter.ts';
import type { Bar, ColumnStats } from '../../api/table.ts';
import { formatCompact, formatCount, formatFigure, formatShare } from '../format.ts';
import { visibleText } from '../visible-text.ts';

const WIDTH = 100;
const HEIGHT = 30;

interface BarsProps {
  readonly stats: ColumnStats;
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

/**
 * The histogram of a column header: a click on a bar adds its condition, and dragging over bars that of all of them. Its menu
 * offers the same to a keyboard.
 */
export function HeaderBars({ stats, onPick }: BarsProps): ReactNode {
  const { bars, kind } = stats;
  const begun = useRef<number>(undefined);
  const [range, setRange] = useState<readonly [number, number]>();
  const isIn = (at: number): boolean => range !== undefined && at >= Math.min(...range) && at <= Math.max(...range);
  const finish = (at: number): void => {
    const from = begun.current ?? at;
    begun.current = undefined;
    setRange(undefined);
    const picked = bars.slice(Math.min(from, at), Math.max(from, at) + 1).map(({ condition }) => condition);
    const condition = joinedConditions(picked);
    if (condition !== undefined) onPick?.(condition);
  };
  if (kind === 'none' || bars.length === 0) return <span className="header-bars" />;
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = WIDTH / Math.max(bars.length, 4);
  return (
    <svg className="header-bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {bars.map((bar, at) => (
        <g
          key={bar.label}
          className={isIn(at) ? 'pick in-range' : 'pick'}
          onPointerDown={() => {
            begun.current = at;
            setRange([at, at]);
          }}
          onPointerEnter={({ buttons }) => {
            if (buttons === 0) begun.current = undefined;
            if (begun.current !== undefined) setRange([begun.current, at]);
          }}
          onPointerUp={() => finish(at)}
        >
          <title>{barTitle(bar, stats.rows)}</title>
          <rect className="hit" x={at * step} y={0} width={step} height={HEIGHT} />
          <rect
            className="drawn"
            x={at * step + step * 0.06}
            y={HEIGHT - heightOf(bar.count, most)}
            width={step * 0.88}
            height={heightOf(bar.count, most)}
          />
        </g>
      ))}
    </svg>
  );
}

/** The condition of neighbouring bars: one range, or a list of their values; undefined for none. */
export function joinedConditions(conditions: readonly Condition[]): Condition | undefined {
  const [first, last] = [conditions[0], conditions.at(-1)];
  if (first === undefined || last === undefined || conditions.length === 1) return first;
  const place = { column: first.column, ...(first.path && { path: first.path }) };
  if (first.op === 'dates' && last.op === 'dates') return { ...place, op: 'dates', low: first.low, high: last.high };
  if ('low' in first && 'low' in last && first.op !== 'dates' && last.op !== 'dates') {
    return { ...place, op: first.op, low: first.low, high: last.high, ...(last.isLast && { isLast: true }) };
  }
  const values = conditions.flatMap((one) => (one.op === 'equals' ? [one.value] : []));
  return { ...place, op: 'one-of', values };
}

function heightOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(1.5, (HEIGHT * count) / most);
}

function barTitle({ label, count }: Bar, rows: number): string {
  return `${visibleText(label)}: ${formatCount(count)} (${formatShare(count / Math.max(rows, 1))})`;
}

interface StatsLineProps {
  readonly stats: ColumnStats;
  /** The member that the statistics are of. */
  readonly name?: string | undefined;
}

/** In a few words: the range or the number of values, and the share of nulls. */
export function StatsLine({ stats, name }: StatsLineProps): ReactNode {
  const { low, high, distinct, nulls, rows, mean } = stats;
  const bounds = low === null || high === null ? '' : rangeOf(low, high);
  const middle = mean === null || low === high ? '' : `mean ${formatFigure(Number(mean.toPrecision(3)))}`;
  const isLength = stats.bars[0]?.condition.op === 'length';
  const range = isLength ? `${bounds} ${bounds === '1' ? 'character' : 'characters'}` : bounds;
  const values = distinct === null ? '' : `${formatCompact(distinct)} ${distinct === 1 ? 'value' : 'values'}`;
  return (
    <span className="stats-line quiet">
      <span className="stats-range" title={isLength || middle === '' ? range || values : `${range}, ${middle}`}>
        {name === undefined ? range || values : visibleText(name)}
      </span>
      {nulls > 0 && <span className="warn">{formatShare(nulls / Math.max(rows, 1))} null</span>}
      {name === undefined && !isLength && middle !== '' && <span>{middle}</span>}
    </span>
  );
}

function rangeOf(low: string, high: string): string {
  const [from, to] = [shortFigure(low), shortFigure(high)];
  return from === to ? from : `${from} – ${to}`;
}

function shortFigure(text: string): string {
  const figure = Number(text);
  return Number.isFinite(figure) && text !== '' ? formatCompact(Number(figure.toPrecision(4))) : text.slice(0, 16);
}

interface BarListProps {
  readonly bars: readonly { readonly label: string; readonly count: number; readonly condition?: Condition }[];
  /** The number of rows with other values. */
  readonly others: number;
  readonly onPick?: ((condition: Condition) => void) | undefined;
}

/** Bars by name; with `onPick` each name is a button that adds the condition of its bar. */
export function BarList({ bars, others, onPick }: BarListProps): ReactNode {
  const most = Math.max(1, ...bars.map(({ count }) => count), others);
  const all = others > 0 ? [...bars, { label: 'others', count: others, condition: undefined }] : bars;
  return (
    <ul className="bar-list">
      {all.map(({ label, count, condition }) => {
        const name = label === '' ? '(empty)' : visibleText(label);
        return (
          <li key={`${label} ${condition === undefined}`}>
            {onPick !== undefined && condition !== undefined ? (
              <button type="button" className="plain bar-name" title={name} onClick={() => onPick(condition)}>
                {name}
              </button>
            ) : (
              <span className="bar-name" title={name}>
                {name}
              </span>
            )}
            <Meter share={count / most} />
            <span className="num">{formatCount(count)}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** A bar of a share from 0 to 1. */
export function Meter({ share }: { readonly share: number }): ReactNode {
  return (
    <svg className="meter" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 10">
      <rect className="track" width={100} height={10} />
      <rect className="drawn" width={Math.max(0, Math.min(100, share * 100))} height={10} />
    </svg>
  );
}
