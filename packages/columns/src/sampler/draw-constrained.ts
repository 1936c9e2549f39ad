import { type CellValue, printFloat, type Random } from '@data-designer/core';
import type { Bounds, RowConstraints } from './constraints.ts';
import { printValue } from './convert-value.ts';
import { drawWithin, shareWithin } from './draw-within.ts';
import type { PreparedParams } from './prepare-params.ts';

/** Draws before the distribution is restricted to the bounds. */
const TRIES = 100;
/** Draws for samplers without a distribution: a value with probability 0.001 is then missed once in 150 rows. */
const TRIES_OF_LISTS = 5000;
/** Draws from the restricted distribution: rounding may move a few of them out of the bounds. */
const TRIES_WITHIN = 64;

/** Loses a row: no drawn value satisfies the column's constraints. */
export class ConstraintUnmet extends Error {
  readonly constraint: string;
  readonly nearest: string;

  constructor(constraint: string, nearest: string) {
    super(`no value keeps ${constraint}`);
    this.constraint = constraint;
    this.nearest = nearest;
  }
}

/** Redraws until a value satisfies the constraints, at last within the bounds; else throws `ConstraintUnmet`. */
export function drawConstrained(
  way: PreparedParams,
  draw: (random: Random, position: number) => CellValue,
  { held, print }: { readonly held: RowConstraints; readonly print?: ((value: number) => string) | undefined },
): (random: Random, position: number) => CellValue {
  const { distribution, finish } = way;
  const tries = distribution ? TRIES : TRIES_OF_LISTS;
  return (random, position) => {
    let value = draw(random, position);
    for (let left = tries; left > 0; left--) {
      if (held.keeps(value, position)) return value;
      value = draw(random, position);
    }
    const bounds = held.bounds(position);
    if (distribution) {
      const share = shareWithin(distribution, bounds, way.lattice);
      for (let left = share[0] < share[1] ? TRIES_WITHIN : 0; left > 0; left--) {
        const number = drawWithin(distribution, random, share);
        value = finish ? finish(number) : number;
        if (held.keeps(value, position)) return value;
      }
    }
    throw unmet(way, {
      draw: () => draw(random, position),
      print: (nearest) => (print && typeof nearest === 'number' ? print(nearest) : printed(nearest)),
      value,
      held,
      position,
      bounds,
    });
  };
}

interface Unmet {
  readonly draw: () => CellValue;
  readonly print: (value: CellValue) => string;
  readonly value: CellValue;
  readonly held: RowConstraints;
  readonly position: number;
  readonly bounds: Bounds;
}

function unmet(
  { distribution, finish }: PreparedParams,
  { draw, print, value, held, position, bounds }: Unmet,
): ConstraintUnmet {
  const [lowest, highest] = distribution?.support ?? [-Infinity, Infinity];
  const edge = bounds.low > highest || bounds.low === highest ? highest : lowest;
  const isOutside = bounds.low >= highest || bounds.high <= lowest;
  const nearest = isOutside && Number.isFinite(edge) ? (finish ? finish(edge) : edge) : nearestOf(draw, value, bounds);
  return new ConstraintUnmet(held.broken(nearest, position), print(nearest));
}

/** Draws among which the nearest value for the message is searched. */
const LOOKS = 1000;

function nearestOf(draw: () => CellValue, value: CellValue, bounds: Bounds): CellValue {
  let nearest = value;
  for (let left = LOOKS; left > 0; left--) {
    const other = draw();
    if (distance(other, bounds) < distance(nearest, bounds)) nearest = other;
  }
  return nearest;
}

function distance(value: CellValue, { low, high }: Bounds): number {
  const number = Number(value);
  return Number.isNaN(number) ? Infinity : Math.max(low - number, number - high, 0);
}

function printed(value: CellValue): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : printFloat(value);
  return typeof value === 'string' ? `'${value}'` : printValue(value);
}
