import type { Row } from '@data-designer/core';
import { type CellReading, readCell } from '../value/read-cell.ts';
import { type Dialect, Meter } from '../value/meter.ts';
import { limitFault } from '../fault.ts';
import { Markup } from '../value/markup.ts';
import { htmlOf } from '../operators.ts';
import { str } from '../value/print.ts';
import { textLength } from '../value/code-points.ts';
import type { Optional, Value } from '../value/value.ts';
import type { SlotRange } from './scope.ts';

/** How to render a template. */
export interface RenderRules {
  readonly dialect: Dialect;
  readonly reading: CellReading;
  /** The longest output, in characters. */
  readonly maxOutput: number;
}

/** The state of one render: its record, variables, output and work so far. */
export class Render extends Meter {
  readonly record: Row;
  readonly rules: RenderRules;
  /** The template's variables by slot; undefined before they are stored. */
  readonly variables: Optional[] = [];
  #text = '';
  #outer = 0;

  constructor(record: Row, rules: RenderRules) {
    super(rules.dialect);
    this.record = record;
    this.rules = rules;
  }

  get text(): string {
    return this.#text;
  }

  /** Adds text to the output within the limit. */
  write(piece: string): void {
    const length = this.#outer + this.#text.length + piece.length;
    if (length > this.rules.maxOutput) this.#checkLength(length, piece);
    this.#text += piece;
  }

  /** Prints a value. */
  emit(value: Value): void {
    if (typeof value === 'string' && !this.autoescape) this.write(value);
    else this.write(this.autoescape ? htmlOf(value, this) : str(value, this));
  }

  /** Prints the result of a block, which is text of the template rather than a value in it. */
  emitPlain(value: Value): void {
    this.emit(value);
  }

  /** Counts code points rather than UTF-16 units only near the limit. */
  #checkLength(length: number, piece: string): void {
    const limit = this.rules.maxOutput;
    const over = length > 2 * limit || this.#outer + textLength(this.#text, this) + textLength(piece, this) > limit;
    if (over) limitFault('characters of output', limit);
  }

  /** Returns the text that `run` writes instead of adding it to the output. */
  capture(run: (render: Render) => void): string {
    const before = this.#text;
    const outer = this.#outer;
    this.#outer += before.length;
    this.#text = '';
    try {
      run(this);
      return this.#text;
    } finally {
      this.#text = before;
      this.#outer = outer;
    }
  }

  /** Captures the text of a macro, block or loop call with variables of its own, which an outer call may be using. */
  captureCall(slots: SlotRange, run: () => void): Value {
    return this.deeper(() => {
      const { variables } = this;
      const count = slots.to - slots.from;
      this.charge(20 + count);
      const before = variables.slice(slots.from, slots.to);
      for (let slot = slots.from; slot < slots.to; slot++) variables[slot] = undefined;
      const text = this.capture(run);
      for (let at = 0; at < count; at++) variables[slots.from + at] = before[at];
      return this.autoescape ? new Markup(text) : text;
    });
  }

  column(name: string): Value {
    this.charge(1);
    return readCell(this.record, name, this.rules.reading);
  }
}

/** A compiled expression. */
export type Evaluate = (render: Render) => Value;

/** A compiled statement, which writes to the render's output. */
export type Execute = (render: Render) => void;
