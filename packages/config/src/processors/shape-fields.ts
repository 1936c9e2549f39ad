import { type ArrowField, type ArrowType, type CellValue, field, Float, isList } from '@data-designer/core';
import { isWholeTemplate, type ObjectTemplate, referenceIn, isTemplate } from '@data-designer/template';

/** The range of a 64-bit column. */
const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n } as const;

/** The fields of the columns that a template reads, by name. */
export type ReadFields = ReadonlyMap<string, ArrowField>;

/** The columns of a shape's table: text for templates, else the literals' types; JSON for mixed types. */
export function shapeFields(template: ObjectTemplate): readonly ArrowField[] {
  const spans = holdsOpenTags(template);
  return Object.entries(template).map(([name, value]) =>
    spans ? field(name, 'utf8', { json: true }) : fieldOf(name, value),
  );
}

/** The same where a text that is one reference has the type of its value; JSON if only the rows know the type. */
export function typedShapeFields(template: ObjectTemplate, read: ReadFields): readonly ArrowField[] {
  return Object.entries(template).map(([name, value]) => fieldOf(name, value, read));
}

/** Whether a column name contains a template, so that it differs between rows. */
export function hasPrintedNames(template: ObjectTemplate): boolean {
  return Object.keys(template).some(isTemplate);
}

function fieldOf(name: string, value: CellValue, read?: ReadFields): ArrowField {
  const type = typeOf(value, read);
  return type === undefined ? field(name, 'utf8', { json: true }) : field(name, type === 'null' ? 'utf8' : type);
}

/** The type of a part of a shape: `null` if only null is known, undefined if there is no single type. */
type PartType = ArrowType | 'null' | undefined;

/** `read` is undefined where every template prints text. */
function typeOf(value: CellValue, read: ReadFields | undefined): PartType {
  if (value === null) return 'null';
  if (typeof value === 'string') return read === undefined ? 'utf8' : typeOfText(value, read);
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return value >= INT64.least && value <= INT64.most ? 'int64' : undefined;
  if (value instanceof Float) return 'float64';
  return isList(value) ? listType(value, read) : structType(value, read);
}

function typeOfText(text: string, read: ReadFields): PartType {
  const reference = referenceIn(text);
  if (reference === undefined) return 'utf8';
  let at: Pick<ArrowField, 'type' | 'json'> | undefined = read.get(reference.column);
  for (const { key } of reference.steps) {
    if (at === undefined || at.json === true || typeof at.type === 'string') return undefined;
    if ('list' in at.type && typeof key === 'number') at = { type: at.type.list };
    else at = 'struct' in at.type ? at.type.struct.find(({ name }) => name === key) : undefined;
  }
  return at === undefined || at.json === true ? undefined : at.type;
}

function listType(items: readonly CellValue[], read: ReadFields | undefined): PartType {
  const types = items.map((item) => typeOf(item, read));
  const [first, ...rest] = types.filter((type) => type !== 'null');
  const item = rest.reduce(common, first);
  return item === undefined || types.includes(undefined) ? undefined : { list: item };
}

/** A mapping without members has no type in files. */
function structType(map: ObjectTemplate, read: ReadFields | undefined): PartType {
  const entries = Object.entries(map);
  if (entries.length === 0 || hasPrintedNames(map)) return undefined;
  return { struct: entries.map(([name, value]) => fieldOf(name, value, read)) };
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
  if (typeof value === 'string') return !isWholeTemplate(value);
  if (typeof value !== 'object' || value === null || value instanceof Float) return false;
  if (isList(value)) return value.some(holdsOpenTags);
  return Object.entries(value).some(([key, part]) => !isWholeTemplate(key) || holdsOpenTags(part));
}
