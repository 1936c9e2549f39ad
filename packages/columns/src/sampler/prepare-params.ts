import {
  type ArrowType,
  type CellValue,
  type CollectionRequest,
  Float,
  type GroupColumns,
  type Random,
} from '@data-designer/core';
import type { NumberDistribution } from '../define-sampler.ts';
import type { SampledColumn, SampledParams } from '../samplers/sampled-column.ts';
import { converted } from './converted.ts';
import { drawnField } from './drawn-field.ts';
import { roundedTo } from './round-half-even.ts';
import type { SamplerOf } from './sampler-of.ts';
import type { Lattice } from './draw-within.ts';

/** The draws of one set of parameters: as they come, over the columns of a range. */
type OpenDraw = (columns: GroupColumns) => (random: Random, position: number) => CellValue;

/** The numbers that a set of parameters gives. */
export interface DrawnNumbers {
  /** What they are drawn from; undefined where something else is drawn. */
  readonly distribution: NumberDistribution | undefined;
  /** How they are rounded before they are held to constraints. */
  readonly lattice: Lattice;
}

/** One set of parameters of a column, made ready once a thread. */
export interface PreparedParams extends DrawnNumbers {
  readonly open: OpenDraw;
  /** Rounds and converts what is drawn to what the column holds; undefined where that is the same. */
  readonly finish: ((value: CellValue) => CellValue) | undefined;
}

/** Which of a column's parameters are meant, and what they are read by. */
interface ParamsContext {
  readonly index: number;
  readonly samplerOf: SamplerOf;
}

/** Makes a set of parameters ready; `index` is 0 for those without a condition. */
export function prepareParams(
  column: SampledColumn,
  params: SampledParams,
  { index, samplerOf }: ParamsContext,
): PreparedParams {
  const numbers = drawnNumbers(column, params, samplerOf);
  return {
    open: openDraw(column, params, { index, samplerOf, distribution: numbers.distribution }),
    finish: finishOf(column, params, samplerOf),
    ...numbers,
  };
}

/** What numbers a set of parameters gives, without making its draws ready: lists and names of people may be long. */
export function drawnNumbers(column: SampledColumn, params: SampledParams, samplerOf: SamplerOf): DrawnNumbers {
  const sampler = samplerOf(params.samplerType);
  return {
    distribution: 'distribution' in sampler ? sampler.distribution(plainNumbers(params)) : undefined,
    lattice: { step: stepOf(params, typeHeld(column, params, samplerOf)) },
  };
}

/** What the values end as; undefined for times, which stay seconds until they are printed. */
function typeHeld(column: SampledColumn, { samplerType }: SampledParams, samplerOf: SamplerOf): ArrowType | undefined {
  return samplerOf(samplerType).converts === 'time' ? undefined : drawnField(column, samplerOf).type;
}

/** Numbers beyond 2^53 come to a thread in boxes. */
function plainNumbers(params: SampledParams): SampledParams {
  const plain = Object.entries(params).map(([key, value]) => [key, value instanceof Float ? value.value : value]);
  return Object.fromEntries(plain) as SampledParams;
}

function openDraw(
  { name }: SampledColumn,
  params: SampledParams,
  { index, samplerOf, distribution }: ParamsContext & { readonly distribution: NumberDistribution | undefined },
): OpenDraw {
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

/** What collections a column's parameters ask for. */
export function collectionOf(
  { name }: SampledColumn,
  params: SampledParams,
  { index, samplerOf }: ParamsContext,
): CollectionRequest | undefined {
  const sampler = samplerOf(params.samplerType);
  return 'collection' in sampler ? { table: tableOf(name, index), ...sampler.collection(params) } : undefined;
}

/** The rows of one set of parameters among the tables of a run. */
function tableOf(column: string, index: number): string {
  return `${index}:${column}`;
}

/** Rounding comes after conversion, as in the reference tool, and by the parameters that the row was drawn with. */
function finishOf(column: SampledColumn, params: SampledParams, samplerOf: SamplerOf): PreparedParams['finish'] {
  const to = typeHeld(column, params, samplerOf);
  if (to === undefined) return undefined;
  const convert = converted(samplerOf(params.samplerType).arrow(params), to, column.name);
  const places = decimalPlacesOf(params);
  if (places === undefined || (to !== 'float64' && to !== 'int64')) return convert;
  const round = roundedTo(places);
  if (!convert) return (value) => round(value as number);
  return (value) => {
    const number = convert(value);
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
