import { jsonText } from '../filters/json-text.ts';
import { Dict } from '../value/collections.ts';
import { plainMap } from '../value/iterate.ts';
import { htmlOf } from '../value/operators.ts';
import { str } from '../value/print.ts';
import type { Value } from '../value/value.ts';
import { Render } from './render.ts';

/** A render of JSON text with values in its strings: what is printed cannot end the string that it stands in. */
export class JsonRender extends Render {
  override emit(value: Value): void {
    const text = this.autoescape ? htmlOf(value, this) : this.#textOf(value);
    this.charge(text.length / 4);
    this.write(JSON.stringify(text).slice(1, -1));
  }

  override emitPlain(value: Value): void {
    super.emit(value);
  }

  /** Lists and maps are JSON, and so are booleans and nothing; all else is as Python prints it. */
  #textOf(value: Value): string {
    if (typeof value === 'boolean' || value === null) return String(value);
    const isData = Array.isArray(value) || value instanceof Dict || plainMap(value) !== undefined;
    return isData ? jsonText(value, { indent: undefined, sortKeys: false }, this) : str(value, this);
  }
}
