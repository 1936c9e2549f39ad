import { type ReactNode, useMemo } from 'react';
import type { RateSample } from '@data-designer/engine';
import { TimePlot } from '../../parts/time-plot.tsx';

/** The rates of a run over time. */
export function RatePlots({ history }: { readonly history: readonly RateSample[] }): ReactNode {
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
    <div className="cards">
      <TimePlot title="Rows" times={drawn.times} lines={drawn.rows} />
      <TimePlot title="Requests" times={drawn.times} lines={drawn.requests} isCount />
      <TimePlot title="Tokens written" times={drawn.times} lines={drawn.tokens} />
      {hasCost && <TimePlot title="Cost" times={drawn.times} lines={drawn.cost} />}
    </div>
  );
}
