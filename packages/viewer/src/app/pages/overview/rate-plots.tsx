import { type ReactNode, useMemo } from 'react';
import type { RateSample } from '@data-designer/engine';
import { TimePlot } from '../../parts/time-plot.tsx';

interface PlotsProps {
  readonly history: readonly RateSample[];
  readonly isRunning: boolean;
}

/** The rates of a run over time. Once no process is at work, the last sample is no longer what the run does. */
export function RatePlots({ history, isRunning }: PlotsProps): ReactNode {
  const drawn = useMemo(() => {
    const line = (label: string, of: (sample: RateSample) => number | null) => ({ label, values: history.map(of) });
    return {
      times: history.map(({ at }) => at / 1000),
      rows: [line('rows per second', (sample) => sample.rowsPerSecond)],
      requests: [line('in flight', (sample) => sample.inFlight), line('waiting', (sample) => sample.waiting)],
      tokens: [line('tokens per second', (sample) => sample.outputTokensPerSecond)],
      cost: [line('cost', (sample) => sample.cost)],
    };
  }, [history]);
  const hasCost = history.some(({ cost }) => cost !== null && cost > 0);
  return (
    <>
      {!isRunning && (
        <p className="quiet small">
          The plots end with the last sample of the run, before its last answers and their cost.
        </p>
      )}
      <div className="cards">
        <TimePlot title="Rows per second" times={drawn.times} lines={drawn.rows} isCurrent={isRunning} />
        <TimePlot title="Requests" times={drawn.times} lines={drawn.requests} isCount isCurrent={isRunning} />
        <TimePlot title="Tokens written per second" times={drawn.times} lines={drawn.tokens} isCurrent={isRunning} />
        {hasCost && <TimePlot title="Cost" times={drawn.times} lines={drawn.cost} isCurrent={isRunning} />}
      </div>
    </>
  );
}
