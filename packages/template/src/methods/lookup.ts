import { formatFields } from '../format/str-format.ts';
import { findMethod, HIDDEN_MEMBER, isHiddenName } from './find-method.ts';
import { type CallArguments, Variadic } from '../value/callable.ts';
import { Dict, entriesOf, mapItem, mapOf } from '../value/collections.ts';
import { plainMap, textOf, typeName } from '../value/inspect.ts';
import { Markup } from '../value/markup.ts';
import type { Meter } from '../value/meter.ts';
import { pickCharacter, pickItem } from '../value/code-points.ts';
import { Undefined } from '../value/undefined.ts';
import { isList, type Optional, TemplateObject, type Value } from '../value/value.ts';

/** `of.name`: the method, else the item of that name, else undefined. Reads own data only, never JavaScript members. */
export function attribute(of: Value, name: string, meter: Meter): Value {
  if (of instanceof Undefined && !isHiddenName(name)) return of.fail();
  const lookups = meter.dialect.keyFirst ? [itemOrNothing, memberOf] : [memberOf, itemOrNothing];
  for (const lookUp of lookups) {
    const found = lookUp(of, name, meter);
    if (found !== undefined) return found;
  }
  return missing(of, name, meter);
}

/** `of[key]`: the item, else the method of that name, else undefined. */
export function item(of: Value, key: Value, meter: Meter): Value {
  if (of instanceof Undefined) return of.fail();
  const found = itemOrNothing(of, key, meter);
  if (found !== undefined) return found;
  const name = textOf(key);
  const member = name === undefined ? undefined : memberOf(of, name, meter);
  return member === undefined ? missing(of, name ?? typeName(key), meter) : member;
}

/** Python's attribute `of.name`, without items; undefined if there is none. */
export function memberOf(of: Value, name: string, meter: Meter): Optional {
  const own = of instanceof TemplateObject ? of.member(name) : undefined;
  // A member may be None, which `??` would skip.
  const member = formatMethod(of, name) ?? (own === undefined ? findMethod(of, name) : own);
  return member === HIDDEN_MEMBER ? new Undefined(`'${name}' of a ${typeName(of)}`, meter, true) : member;
}

function missing(of: Value, name: string, meter: Meter): Undefined {
  return new Undefined(`'${name}' of a ${typeName(of)}`, meter);
}

function itemOrNothing(of: Value, key: Value, meter: Meter): Optional {
  if (isList(of)) return pickItem(of, key);
  const text = textOf(of);
  if (text !== undefined) return pickCharacter(text, key, meter);
  if (of instanceof Dict) return hashable(key) ? of.get(key, meter) : undefined;
  if (of instanceof TemplateObject) return of.item(key, meter);
  const map = plainMap(of);
  return map === undefined ? undefined : mapItem(map, key, meter);
}

function hashable(key: Value): boolean {
  return typeof key !== 'object' || key === null || key instanceof TemplateObject;
}

/** `str.format` is created here because it looks up attributes and items of its arguments. */
function formatMethod(of: Value, name: string): Optional {
  if (name !== 'format' && name !== 'format_map') return undefined;
  const text = textOf(of);
  if (text === undefined) return undefined;
  return new Variadic(`the method '${name}'`, (given, meter) => {
    const source = name === 'format' ? given : mapGiven(given, meter);
    const result = formatFields(text, source, { attribute, item, meter, html: of instanceof Markup });
    return of instanceof Markup ? new Markup(result) : result;
  });
}

function mapGiven(given: CallArguments, meter: Meter): CallArguments {
  const map = mapOf(given.positional[0] ?? null) ?? {};
  return {
    positional: [],
    keywords: new Map(Array.from(entriesOf(map, meter), ([key, value]) => [textOf(key) ?? '', value])),
  };
}
