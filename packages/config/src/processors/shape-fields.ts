import { type ArrowField, type ArrowType, type CellValue, field, Float, isList } from '@data-designer/core';
import { type ObjectTemplate, parseTemplate } from '@data-designer/template';

/** A tag in the text of a template. */
const TAG = /\{[{%#]/;

/** The range of a 64-bit column. */
const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n } as const;

/** The columns of a shape's table: text for templates, else the literals' types; JSON for mixed types. */
export function shapeFields(template: ObjectTemplate): readonly ArrowField[] {
  const spans = holdsOpenTags(template);
  return Object.entries(template).map(([name, value]) =>
    spans ? field(name, 'utf8', { json: true }) : fieldOf(name, value),
  );
}

/** Whether a column name contains a template, so that it differs between rows. */
export function hasPrintedNames(template: ObjectTemplate): boolean {
  return Object.keys(template).some((name) => TAG.test(name));
}

function fieldOf(name: string, value: CellValue): ArrowField {
  const type = typeOf(value);
  return type === undefined ? field(name, 'utf8', { json: true }) : field(name, type === 'null' ? 'utf8' : type);
}

/** The type of a part of a shape: `null` if only null is known, undefined if there is no single type. */
type PartType = ArrowType | 'null' | undefined;

function typeOf(value: CellValue): PartType {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'utf8';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return value >= INT64.least && value <= INT64.most ? 'int64' : undefined;
  if (value instanceof Float) return 'float64';
  return isList(value) ? listType(value) : structType(value);
}

function listType(items: readonly CellValue[]): PartType {
  const types = items.map(typeOf);
  const [first, ...rest] = types.filter((type) => type !== 'null');
  const item = rest.reduce(common, first);
  return item === undefined || types.includes(undefined) ? undefined : { list: item };
}

/** A mapping without members has no type in files. */
function structType(map: ObjectTemplate): PartType {
  const entries = Object.entries(map);
  if (entries.length === 0 || hasPrintedNames(map)) return undefined;
  return { struct: entries.map(([name, value]) => fieldOf(name, value)) };
}

function common(one: ArrowType | undefined, other: ArrowType | undefined): ArrowType | undefined {
  if (one === undefined || other === undefined) return undefined;
  if (isNumber(one) && isNumber(other)) return one === other ? one : 'float64';
  return JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
}

function isNumber(type: PartType): boolean {
  return type === 'int64' || type === 'float64';
}

/** Whether a tag opens in one text and closes in another, so that parts of the shape are conditional. */
function holdsOpenTags(value: CellValue): boolean {
  if (typeof value === 'string') return !isWhole(value);
  if (typeof value !== 'object' || value === null || value instanceof Float) return false;
  if (isList(value)) return value.some(holdsOpenTags);
  return Object.entries(value).some(([key, part]) => !isWhole(key) || holdsOpenTags(part));
}

function isWhole(text: string): boolean {
  if (!TAG.test(text)) return true;
  try {
    parseTemplate(text);
    return true;
  } catch {
    return false;
  }
}
