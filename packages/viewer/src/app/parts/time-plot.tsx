import { type ReactNode, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { formatFigure, twoDigits } from '../format.ts';

/** A line of a plot over time. */
interface PlotLine {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface PlotProps {
  readonly title: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  /** Whether all values are whole numbers, so that the axis has no others. */
  readonly isCount?: boolean;
  /** Whether the last values are those of now, which the title then says. */
  readonly isCurrent: boolean;
}

const HEIGHT = 170;
/** The colours of the first, the second and the third line, by custom properties that hold for both themes. */
const COLOURS = ['--kind-model', '--kind-judge', '--kind-validation'] as const;

/** Lines over time, drawn by uPlot on a canvas; the label of a run at work says the latest values. */
export function TimePlot({ title, times, lines, isCount = false, isCurrent }: PlotProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const theme = useThemeChanges();
  const labels = lines.map(({ label }) => label).join('\n');
  const plot = useRef<uPlot>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const drawn = new uPlot(optionsFor(element, labels.split('\n'), isCount), [[]], element);
    plot.current = drawn;
    const resized = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      drawn.destroy();
    };
  }, [labels, theme, isCount]);
  useEffect(() => {
    plot.current?.setData([[...times], ...lines.map(({ values }) => [...values])]);
  }, [times, lines, labels, theme, isCount]);
  const latest = lines
    .map(({ label, values }) => {
      const figure = formatFigure(values.findLast((value) => value !== null) ?? 0);
      // The title names a single line.
      return lines.length === 1 ? figure : `${label} ${figure}`;
    })
    .join(', ');
  return (
    <figure className="time-plot">
      <figcaption>
        {title} {isCurrent && <span className="quiet small">{latest}</span>}
      </figcaption>
      <div ref={host} role="img" aria-label={`${title} over time${isCurrent ? `; now ${latest}` : ''}`} />
    </figure>
  );
}

function optionsFor(element: HTMLElement, labels: readonly string[], isCount: boolean): uPlot.Options {
  const [ink, line] = [colour(element, '--quiet'), colour(element, '--line')];
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: labels.length > 1, live: false },
    cursor: { drag: { x: true, y: false } },
    scales: { y: { range: (_, __, high) => [0, high > 0 ? high * 1.1 : 1] } },
    // Half of the last label stands right of the plot.
    padding: [null, TIME_WIDTH / 2, null, null],
    axes: [
      { ...axis, space: TIME_WIDTH + 4, values: (...[, times, , , every]) => timeLabels(times, every) },
      {
        ...axis,
        space: 24,
        size: (_, labelled) => widthOf(labelled),
        values: (_, ticks) => ticks.map((tick) => formatFigure(tick)),
        ...(isCount && { incrs: WHOLE_STEPS }),
      },
    ],
    series: [
      {},
      ...labels.map((label, at) => ({
        label,
        stroke: colour(element, COLOURS[at % COLOURS.length] ?? COLOURS[0]),
        width: 2,
        points: { show: false },
      })),
    ],
  };
}

const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** The width of the widest label of a time: a date. */
const TIME_WIDTH = 72;

const DAY = 24 * 60 * 60;

/** The labels of times in seconds: the time of day, and below it the date where another day begins. */
function timeLabels(times: readonly number[], every: number): string[] {
  let day = '';
  return times.map((seconds) => {
    const at = new Date(seconds * 1000);
    const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
    const clock = [at.getHours(), at.getMinutes(), ...(every < 60 ? [at.getSeconds()] : [])].map(twoDigits).join(':');
    const isNew = date !== day;
    day = date;
    return every >= DAY ? date : isNew ? `${clock}\n${date}` : clock;
  });
}

const CHARACTER_WIDTH = 7.5;
const NARROWEST_AXIS = 56;

/** The width of an axis whose labels are not cut. */
function widthOf(labels: readonly string[] | null): number {
  const longest = Math.max(0, ...(labels ?? []).map(({ length }) => length));
  return Math.max(NARROWEST_AXIS, Math.ceil(longest * CHARACTER_WIDTH) + 16);
}

/** A canvas does not know `light-dark()`: the browser calculates the colour on an element. */
function colour(host: HTMLElement, property: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A number that changes with the theme. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const onChange = (): void => setChanges((times) => times + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', onChange);
    const observer = new MutationObserver(onChange);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', onChange);
      observer.disconnect();
    };
  }, []);
  return changes;
}
