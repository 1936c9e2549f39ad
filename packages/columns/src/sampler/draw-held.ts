import { type CellValue, printFloat, type Random } from '@data-designer/core';
import type { Bounds, HeldTo } from './constraints.ts';
import { printValue } from './print-value.ts';
import { drawWithin, shareWithin } from './draw-within.ts';
import type { PreparedParams } from './prepare-params.ts';

/** Draws that are tried before the distribution is cut to what the constraints leave. */
const TRIES = 100;
/** Draws that are tried where it cannot be cut: a value of one in a thousand is then missed once in 150 rows. */
const TRIES_OF_LISTS = 5000;
/** Draws from the distribution that was cut: rounding may put single ones beside the bounds. */
const TRIES_WITHIN = 64;

/** What a row is lost for: no value that could be drawn keeps the column's constraints. */
export class ConstraintUnmet extends Error {
  readonly constraint: string;
  readonly nearest: string;

  constructor(constraint: string, nearest: string) {
    super(`no value keeps ${constraint}`);
    this.constraint = constraint;
    this.nearest = nearest;
  }
}

/**
 * Draws until a value keeps the constraints. After a bounded number of tries numbers of a distribution are drawn from
 * the part of it that the constraints leave, so that a row gets its value however rare that is; else throws
 * `ConstraintUnmet`.
 */
export function drawHeld(
  way: PreparedParams,
  draw: (random: Random, position: number) => CellValue,
  { held, print = printed }: { readonly held: HeldTo; readonly print?: ((value: number) => string) | undefined },
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
      print: print as Unmet['print'],
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
  readonly held: HeldTo;
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

/** Draws that are looked at for the one that comes nearest. */
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
