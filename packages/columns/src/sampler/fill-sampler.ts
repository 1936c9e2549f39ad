import type { CellValue, FilledColumn, GroupColumns, Random, RowRange, Setting } from '@data-designer/core';
import { printTime } from '../samplers/datetime/print-time.ts';
import { allParams, type SampledColumn } from '../samplers/sampled-column.ts';
import { chooseParams, type ChooseParams } from './choose-params.ts';
import { constraintsOn, type RowConstraints } from './constraints.ts';
import { drawConstrained } from './draw-constrained.ts';
import type { SamplerOf } from '../define-sampler.ts';
import { UnfilledCells } from './unfilled-cells.ts';
import { prepareParams, type PreparedParams } from './prepare-params.ts';

type Draw = (random: Random, position: number) => CellValue;

/** Prepares a column once per thread; the returned function fills row ranges of any order and size. */
export function fillSampler(
  column: SampledColumn,
  { constraints }: Setting,
  samplerOf: SamplerOf,
): (range: RowRange, random: Random, columns: GroupColumns) => FilledColumn {
  const prepared = allParams(column).map((params, index) => prepareParams(column, params, { index, samplerOf }));
  const choosing = chooseParams(column);
  const holding = constraintsOn(column.name, constraints);
  const isTime = samplerOf(column.samplerType).converts === 'time';
  const print = isTime ? printTime(column.convertTo) : undefined;
  const isNumeric = isTime || (column.convertTo === null && prepared.every(({ distribution }) => distribution));
  return (range, random, columns) => {
    const unfilled = new UnfilledCells(column.name);
    const values = isNumeric ? new Float64Array(range.rows) : Array.from<CellValue>({ length: range.rows }).fill(null);
    const draw = drawing(prepared, columns, { choose: choosing?.(columns), held: holding?.(columns), print });
    drawAll(values, draw, { range, random, unfilled });
    const lost = unfilled.list(range.firstRow);
    if (!print || !(values instanceof Float64Array)) return { written: [values], unfilled: lost };
    return { written: [Array.from(values, print)], times: values, unfilled: lost };
  };
}

/** How a range is drawn, apart from the parameters. */
interface Drawing {
  readonly choose: ChooseParams | undefined;
  readonly held: RowConstraints | undefined;
  readonly print: ((seconds: number) => string) | undefined;
}

/** Combines parameters, conditions and constraints into one draw. */
function drawing(prepared: readonly PreparedParams[], columns: GroupColumns, { choose, held, print }: Drawing): Draw {
  const draws = prepared.map((params) => {
    const draw = finished(params, params.open(columns));
    return held ? drawConstrained(params, draw, { held, print }) : draw;
  });
  const [unconditional] = draws;
  if (unconditional && !choose) return unconditional;
  return (random, position) => draws[choose?.(position) ?? 0]?.(random, position) ?? null;
}

function finished({ finish }: PreparedParams, draw: Draw): Draw {
  return finish ? (random, position) => finish(draw(random, position)) : draw;
}

function drawAll(
  values: Float64Array | CellValue[],
  draw: Draw,
  { range, random, unfilled }: { range: RowRange; random: Random; unfilled: UnfilledCells },
): void {
  const { firstRow, rows } = range;
  const cells = values as { [position: number]: CellValue };
  for (let position = 0; position < rows; position++) {
    try {
      cells[position] = draw(random.at(firstRow + position), position);
    } catch (thrown) {
      unfilled.add(position, thrown);
    }
  }
}
