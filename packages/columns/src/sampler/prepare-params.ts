import {
  type ArrowType,
  type CellValue,
  type CollectionRequest,
  Float,
  type GroupColumns,
  type Random,
} from '@data-designer/core';
import type { NumberDistribution, SamplerOf } from '../define-sampler.ts';
import type { SampledColumn, SampledParams } from '../samplers/sampled-column.ts';
import { conversion, roundedTo } from './convert-value.ts';
import { drawnField } from './drawn-field.ts';
import type { Lattice } from './draw-within.ts';

/** Opens the raw draws of one set of parameters over the columns of a range. */
type BindDraw = (columns: GroupColumns) => (random: Random, position: number) => CellValue;

/** The distribution and rounding of a set of parameters. */
export interface DrawnNumbers {
  /** Undefined for a sampler without a distribution. */
  readonly distribution: NumberDistribution | undefined;
  /** Rounding precedes the constraints. */
  readonly lattice: Lattice;
}

/** One set of parameters of a column, prepared once per thread. */
export interface PreparedParams extends DrawnNumbers {
  readonly open: BindDraw;
  /** Converts and rounds a drawn value for the column; undefined if nothing is to be done. */
  readonly finish: ((value: CellValue) => CellValue) | undefined;
}

/** The index of the parameters within the column, and the sampler lookup. */
interface ParamsContext {
  readonly index: number;
  readonly samplerOf: SamplerOf;
}

/** Prepares a set of parameters; `index` is 0 for those without a condition. */
export function prepareParams(
  column: SampledColumn,
  params: SampledParams,
  { index, samplerOf }: ParamsContext,
): PreparedParams {
  const numbers = drawnNumbers(column, params, samplerOf);
  return {
    open: bindDraw(column, params, { index, samplerOf, distribution: numbers.distribution }),
    finish: finishOf(column, params, samplerOf),
    ...numbers,
  };
}

/** The distribution and rounding alone: preparing the draws may be expensive, as for lists of names. */
export function drawnNumbers(column: SampledColumn, params: SampledParams, samplerOf: SamplerOf): DrawnNumbers {
  const sampler = samplerOf(params.samplerType);
  return {
    distribution: 'distribution' in sampler ? sampler.distribution(plainNumbers(params)) : undefined,
    lattice: { step: stepOf(params, typeHeld(column, params, samplerOf)) },
  };
}

/** The final type of the values; undefined for times, which stay seconds until they are printed. */
function typeHeld(column: SampledColumn, { samplerType }: SampledParams, samplerOf: SamplerOf): ArrowType | undefined {
  return samplerOf(samplerType).converts === 'time' ? undefined : drawnField(column, samplerOf).type;
}

/** Unboxes numbers: threads receive integral floats beyond 2^53 as `Float`. */
function plainNumbers(params: SampledParams): SampledParams {
  const plain = Object.entries(params).map(([key, value]): [string, unknown] => [
    key,
    value instanceof Float ? value.value : value,
  ]);
  return { ...Object.fromEntries(plain), samplerType: params.samplerType };
}

function bindDraw(
  { name }: SampledColumn,
  params: SampledParams,
  { index, samplerOf, distribution }: ParamsContext & { readonly distribution: NumberDistribution | undefined },
): BindDraw {
  if (distribution) return () => distribution.draw;
  const sampler = samplerOf(params.samplerType);
  if ('drawFrom' in sampler) {
    const drawFrom = sampler.drawFrom(params);
    const table = tableOf(name, index);
    return ({ tables }) => drawFrom(tables.get(table) ?? new Map());
  }
  if (!('draw' in sampler)) throw new TypeError(`the sampler '${params.samplerType}' does not draw`);
  const draw = sampler.draw(params, name);
  const reads = sampler.reads?.(params) ?? [];
  if (reads.length === 0) return () => (random) => draw(random, []);
  return ({ times, written }) => {
    const sources = reads.map((reference) => times.get(reference.name) ?? written.get(reference.name));
    const read: CellValue[] = [];
    return (random, position) => {
      for (let at = 0; at < sources.length; at++) read[at] = sources[at]?.[position] ?? null;
      return draw(random, read);
    };
  };
}

/** The collection request of a set of parameters, if any. */
export function collectionOf(
  { name }: SampledColumn,
  params: SampledParams,
  { index, samplerOf }: ParamsContext,
): CollectionRequest | undefined {
  const sampler = samplerOf(params.samplerType);
  return 'collection' in sampler ? { table: tableOf(name, index), ...sampler.collection(params) } : undefined;
}

/** The table id of one set of parameters. */
function tableOf(column: string, index: number): string {
  return `${index}:${column}`;
}

/** Rounding comes after conversion, as in the reference tool, and by the parameters that the row was drawn with. */
function finishOf(column: SampledColumn, params: SampledParams, samplerOf: SamplerOf): PreparedParams['finish'] {
  const to = typeHeld(column, params, samplerOf);
  if (to === undefined) return undefined;
  const convert = conversion(samplerOf(params.samplerType).arrow(params), to, column.name);
  const places = decimalPlacesOf(params);
  if (places === undefined || (to !== 'float64' && to !== 'int64')) return convert;
  const round = roundedTo(places);
  return (value) => {
    const number = convert ? convert(value) : value;
    return typeof number === 'number' ? round(number) : number;
  };
}

function decimalPlacesOf({ decimalPlaces }: SampledParams): number | undefined {
  return typeof decimalPlaces === 'number' ? decimalPlaces : undefined;
}

/** Integers are multiples of 1; rounding to tens makes multiples of 10. */
function stepOf(params: SampledParams, to: ArrowType | undefined): number {
  const places = decimalPlacesOf(params);
  const rounded = places === undefined ? 0 : 10 ** -places;
  return to === 'int64' ? Math.max(1, rounded) : rounded;
}
