import { bareLoop } from './bare-loop.ts';
import { measure } from './measure.ts';
import { runDataset } from './run-dataset.ts';
import { startResponder } from './start-responder.ts';

const IN_FLIGHT = 64;
const FEW = 2_000;
const MANY = 22_000;

/** One line of the table. */
interface Row {
  readonly what: string;
  readonly cpuUsPerCell: number;
  readonly ratio: number;
  readonly cellsPerSecond: number;
  readonly peakRssMb: number;
}

/**
 * CPU per LLM text cell over all threads of this process, against a bare undici loop on one thread in the same run,
 * both talking to the canned responder. The cost of a cell is that of 20,000 further ones, so that starting threads
 * and loading libraries is not in it; what they add is shown beside.
 */
export async function spine(): Promise<readonly Row[]> {
  await using responder = await startResponder(0);
  const { endpoint } = responder;
  await bareLoop(endpoint, FEW, IN_FLIGHT);
  const bare = await measure(() => bareLoop(endpoint, MANY - FEW, IN_FLIGHT));
  const few = await measure(() => runDataset(endpoint, { rows: FEW, columns: 1, inFlight: IN_FLIGHT }));
  const many = await measure(() => runDataset(endpoint, { rows: MANY, columns: 1, inFlight: IN_FLIGHT }));
  const bareUs = bare.cpuUs / (MANY - FEW);
  const row = (what: string, cost: { cpuUs: number; wallMs: number; cells: number; peakRssMb: number }): Row => ({
    what,
    cpuUsPerCell: cost.cpuUs / cost.cells,
    ratio: cost.cpuUs / cost.cells / bareUs,
    cellsPerSecond: (cost.cells / cost.wallMs) * 1000,
    peakRssMb: cost.peakRssMb,
  });
  return [
    row('bare undici loop', { ...bare, cells: MANY - FEW }),
    row('LLM text cell', {
      cpuUs: many.cpuUs - few.cpuUs,
      wallMs: many.wallMs - few.wallMs,
      cells: MANY - FEW,
      peakRssMb: many.peakRssMb,
    }),
    row(`the same with start and end, ${MANY} cells`, { ...many, cells: MANY }),
  ];
}
