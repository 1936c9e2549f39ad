import { characters, pickCharacter, pickItem } from '../value/code-points.ts';
import { Dict, entriesOf, mapItem, mapOf } from '../value/collections.ts';
import { typeFault } from '../fault.ts';
import { textOf, typeName } from '../value/inspect.ts';
import type { Meter } from '../value/meter.ts';
import { index } from '../value/number.ts';
import { isList, type Optional, TemplateObject, type Value } from '../value/value.ts';

const CODE_POINTS = 0x11_0000;

/** Python's `str.translate`: replaces each character by what the table has at its code point; `None` removes it. */
export function translateText(self: string, table: Value, meter: Meter): string {
  const parts = characters(self, meter).map((character) => {
    meter.charge(6);
    const found = tableItem(table, codePoint(character), meter);
    return found === undefined ? character : replacement(found);
  });
  meter.chargeParts(parts, 0);
  return parts.join('');
}

/** The item of a table; undefined if it has none, which keeps the character. */
function tableItem(table: Value, key: number, meter: Meter): Optional {
  if (isList(table)) return pickItem(table, key);
  if (table instanceof TemplateObject) return table.item(key, meter);
  const map = mapOf(table);
  if (map !== undefined) return mapItem(map, key, meter);
  const letters = textOf(table) ?? typeFault(`'${typeName(table)}' object is not subscriptable`);
  return pickCharacter(letters, key, meter);
}

function replacement(value: Value): string {
  const written = value === null ? '' : textOf(value);
  if (written !== undefined) return written;
  const code = index(value) ?? typeFault('character mapping must return integer, None or str');
  if (code < 0 || code >= CODE_POINTS) typeFault('character mapping must be in range(0x110000)');
  return String.fromCodePoint(code);
}

/** Python's `str.maketrans`: a table from a map, or from two texts of one length and a text of removed characters. */
export function translationTable([from, to, removed]: readonly Optional[], meter: Meter): Dict {
  if (to === undefined) return tableOfMap(from ?? null, meter);
  const [old, fresh] = [from ?? null, to].map((one) => characters(text(one), meter));
  if (old === undefined || fresh === undefined || old.length !== fresh.length) {
    return typeFault('the first two maketrans arguments must have equal length');
  }
  const gone = removed === undefined ? [] : characters(text(removed), meter);
  const pairs = old.map((character, at) => [codePoint(character), codePoint(fresh[at] ?? '')] as const);
  return Dict.of([...pairs, ...gone.map((character) => [codePoint(character), null] as const)], meter);
}

function tableOfMap(value: Value, meter: Meter): Dict {
  const map = mapOf(value) ?? typeFault('if you give only one argument to maketrans it must be a dict');
  const entries = Array.from(entriesOf(map, meter), ([key, to]) => [tableKey(key, meter), to] as const);
  return Dict.of(entries, meter);
}

function tableKey(key: Value, meter: Meter): Value {
  const written = textOf(key);
  if (written === undefined) {
    return index(key) === undefined ? typeFault('keys in translate table must be strings or integers') : key;
  }
  const letters = characters(written, meter);
  if (letters.length !== 1) typeFault('string keys in translate table must be of length 1');
  return codePoint(written);
}

function text(value: Value): string {
  return textOf(value) ?? typeFault(`maketrans() argument must be str, not ${typeName(value)}`);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
