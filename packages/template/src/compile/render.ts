import { DataDesignerError, type Row } from '@data-designer/core';
import { type CellReading, readCell } from '../value/read-cell.ts';
import { type Dialect, Meter } from '../value/meter.ts';
import { htmlOf } from '../value/operators.ts';
import { str } from '../value/print.ts';
import { textLength } from '../value/code-points.ts';
import type { Value } from '../value/value.ts';

/** How a template is rendered. */
export interface RenderRules {
  readonly dialect: Dialect;
  readonly reading: CellReading;
  /** The longest text that may come out, in characters. */
  readonly maxOutput: number;
}

/** One render: its record, its variables, its text so far and what it has left. */
export class Render extends Meter {
  readonly record: Row;
  readonly rules: RenderRules;
  /** Variables of the template by slot; undefined where nothing has been stored. */
  readonly variables: (Value | undefined)[] = [];
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

  /** Adds text, charged before it is added. */
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

  /** Prints what a block came to, which is text of the template rather than a value in it. */
  emitPlain(value: Value): void {
    this.emit(value);
  }

  /** A character of two units counts once, which only matters near the limit. */
  #checkLength(length: number, piece: string): void {
    const limit = this.rules.maxOutput;
    const over = length > 2 * limit || this.#outer + textLength(this.#text, this) + textLength(piece, this) > limit;
    if (over) throw new DataDesignerError('template/limit', { what: 'characters of output', limit });
  }

  /** Runs something that writes and gives what it wrote instead of adding it. */
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

  column(name: string): Value {
    this.charge(1);
    return readCell(this.record, name, this.rules.reading);
  }
}

/** A compiled expression. */
export type Evaluate = (render: Render) => Value;

/** A compiled statement; it writes what it prints. */
export type Execute = (render: Render) => void;
