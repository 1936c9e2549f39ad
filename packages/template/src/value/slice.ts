import { Range, sequenceItems, Tuple } from './collections.ts';
import { typeFault } from '../fault.ts';
import { textOf } from './inspect.ts';
import { markedLike } from './markup.ts';
import type { Meter } from './meter.ts';
import { index } from './number.ts';
import { characters, offsetOf, textLength } from './code-points.ts';
import type { Value } from './value.ts';

/** The bounds of a slice; None for an omitted one. */
export interface Bounds {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
}

/** Python's `value[start:stop:step]`; undefined if the value cannot be sliced. */
export function slice(value: Value, bounds: Bounds, meter: Meter): Value | undefined {
  const text = textOf(value);
  if (text !== undefined) return markedLike(value, sliceText(text, bounds, meter));
  if (value instanceof Range) return sliceRange(value, bounds);
  const values = sequenceItems(value);
  if (values === undefined) return undefined;
  meter.chargeItems(values.length);
  const picked = pick(values, bounds);
  return value instanceof Tuple ? new Tuple(picked) : picked;
}

function sliceText(text: string, bounds: Bounds, meter: Meter): string {
  const { from, to, step } = resolveBounds(textLength(text, meter), bounds);
  if (step === 1) return from < to ? text.slice(offsetOf(text, from, meter), offsetOf(text, to, meter)) : '';
  meter.charge(text.length);
  meter.chargeText(text.length);
  return pick(characters(text, meter), bounds).join('');
}

function sliceRange(range: Range, bounds: Bounds): Range {
  const { from, to, step } = resolveBounds(range.length, bounds);
  return new Range(range.start + from * range.step, range.start + to * range.step, range.step * step);
}

function pick<Item extends Value>(items: readonly Item[], bounds: Bounds): Item[] {
  const { from, to, step } = resolveBounds(items.length, bounds);
  if (step === 1) return items.slice(from, Math.max(from, to));
  const picked: Item[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) {
    const item = items[at];
    if (item !== undefined) picked.push(item);
  }
  return picked;
}

/** Resolves the bounds of a slice for a sequence of this length. */
function resolveBounds(length: number, bounds: Bounds): { from: number; to: number; step: number } {
  const step = bound(bounds.step) ?? 1;
  if (step === 0) typeFault('slice step cannot be zero');
  const [low, high] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (at: number): number => Math.min(Math.max(at < 0 ? at + length : at, low), high);
  const start = bound(bounds.start);
  const stop = bound(bounds.stop);
  const from = start === undefined ? (step > 0 ? low : high) : clamp(start);
  const to = stop === undefined ? (step > 0 ? high : low) : clamp(stop);
  return { from, to, step };
}

function bound(value: Value): number | undefined {
  if (value === null) return undefined;
  return index(value) ?? typeFault('slice indices must be integers or None');
}
