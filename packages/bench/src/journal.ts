import { GatewayHost } from '@data-designer/engine';
import { measure } from './measure.ts';
import { openBench } from './open-bench.ts';
import type { BenchRow } from './spine.ts';
import { startResponder } from './start-responder.ts';

const ROWS = 10_000;
/** Runs of each kind, one after the other by turns: what else the machine does meets both alike. */
const TURNS = 21;

/** What the journal adds to a cell of a language model, all threads of this process, warm. */
export async function journal(): Promise<readonly BenchRow[]> {
  await using responder = await startResponder();
  await using bench = openBench(responder.endpoint);
  const cpuUs = async (): Promise<number> => {
    const took = await measure(() => bench.create({ rows: ROWS, columns: 1, inFlight: 64 }));
    return took.cpuUs / ROWS;
  };
  await cpuUs();
  const kept: number[] = [];
  const unkept: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    kept.push(await cpuUs());
    using _ = withoutJournals();
    unkept.push(await cpuUs());
  }
  const [withUs, withoutUs] = [median(kept), median(unkept)];
  // Two runs that follow each other meet the same machine, more or less.
  const paired = median(kept.map((us, turn) => us - (unkept[turn] as number)));
  return [
    { what: `${ROWS} text cells without a journal`, figures: { 'CPU us/cell': withoutUs } },
    { what: `${ROWS} text cells with a journal`, figures: { 'CPU us/cell': withUs, 'us for it': paired } },
    // What is left when the machine did least else.
    { what: 'the least of each', figures: { 'us for it': Math.min(...kept) - Math.min(...unkept) } },
  ];
}

/** No run has a choice: for the bench alone the gateway is told of no journal, as in a preview. */
function withoutJournals(): Disposable {
  const host = GatewayHost.prototype;
  const openGroup = Reflect.get(host, 'openGroup');
  host.openGroup = function open(group) {
    return openGroup.call(this, group, null);
  };
  return { [Symbol.dispose]: () => void (host.openGroup = openGroup) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
