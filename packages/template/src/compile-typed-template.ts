import { type CellValue, DataDesignerError, Float, type Row } from '@data-designer/core';
import { compileObjectTemplate, type ObjectTemplate, type RenderObject } from './compile-object-template.ts';
import type { TemplateOptions } from './compile-template.ts';
import { isTemplate } from './is-template.ts';
import { parseTemplate } from './parse-template.ts';
import { type AccessStep, type MemberAccess, soleAccess } from './syntax/member-accesses.ts';
import { decodeText, isCellList } from './value/decode-text.ts';

/** A reference to a column or to a part of its values. */
export type TemplateReference = Pick<MemberAccess, 'column' | 'steps'>;

/** Whether a text is a template by itself: no tag opens in it and closes in another text. */
export function isWholeTemplate(text: string): boolean {
  if (!isTemplate(text)) return true;
  try {
    parseTemplate(text);
    return true;
  } catch {
    return false;
  }
}

/** The reference that is all of a text, as in `{{ a.b[0] }}`; undefined for other texts. */
export function referenceIn(text: string): TemplateReference | undefined {
  return isTemplate(text) && isWholeTemplate(text) ? soleAccess(parseTemplate(text).tree) : undefined;
}

/**
 * Compiles an object template in which a text that is one reference gives the value itself, and null for a member that is
 * missing. Each other text is rendered as in `compileObjectTemplate`, as a template by itself. Throws likewise.
 */
export function compileTypedTemplate(template: ObjectTemplate, options: TemplateOptions = {}): RenderObject {
  const members = memberMakers(template, options);
  return (record, random) => makeObject(members, record, random);
}

/** Makes a part of the object from a record. */
type Make = (record: Row, random: (() => number) | undefined) => CellValue;
type MakeText = (...given: Parameters<Make>) => string;
type MemberMaker = readonly [key: MakeText, value: Make];

function memberMakers(template: ObjectTemplate, options: TemplateOptions): readonly MemberMaker[] {
  return Object.entries(template).map(([key, value]) => [textMaker(key, options), makerOf(value, options)]);
}

function makeObject(members: readonly MemberMaker[], ...given: Parameters<Make>): Row {
  return Object.fromEntries(members.map(([key, value]) => [key(...given), value(...given)]));
}

function makerOf(part: CellValue, options: TemplateOptions): Make {
  if (typeof part === 'string') {
    const reference = referenceIn(part);
    return reference === undefined ? textMaker(part, options) : (record) => valueAt(record, reference, part);
  }
  if (typeof part !== 'object' || part === null || part instanceof Float) return () => part;
  if (isCellList(part)) {
    const items = part.map((one) => makerOf(one, options));
    return (...given) => items.map((make) => make(...given));
  }
  const members = memberMakers(part, options);
  return (...given) => makeObject(members, ...given);
}

function textMaker(text: string, options: TemplateOptions): MakeText {
  if (!isTemplate(text)) return () => text;
  const render = compileObjectTemplate({ text }, options);
  return (record, random) => {
    const { text: rendered } = render(record, random);
    return typeof rendered === 'string' ? rendered : '';
  };
}

/** The value of a reference. Throws `template/refused` for an unknown column, `template/empty-render` for a missing part on the way. */
function valueAt(record: Row, { column, steps }: TemplateReference, template: string): CellValue {
  if (!Object.hasOwn(record, column)) {
    const remedy = `Columns: ${Object.keys(record).join(', ')}.`;
    throw new DataDesignerError('template/refused', {
      construct: `the name '${column}', which is not a column`,
      remedy,
    });
  }
  let value: CellValue | undefined = record[column] ?? null;
  for (const step of steps) {
    if (value === undefined) throw new DataDesignerError('template/empty-render', { template, culprits: [column] });
    value = partAt(value, step);
  }
  return value ?? null;
}

/** A member or an item; undefined if there is none. Text may be the JSON of a list or a mapping. */
function partAt(value: CellValue, { key }: AccessStep): CellValue | undefined {
  const whole = typeof value === 'string' ? decodeText(value) : value;
  if (typeof whole === 'string') return typeof key === 'number' ? Array.from(whole).at(key) : undefined;
  if (typeof whole !== 'object' || whole === null || whole instanceof Float) return undefined;
  if (isCellList(whole)) return typeof key === 'number' ? whole.at(key) : undefined;
  return typeof key === 'string' && Object.hasOwn(whole, key) ? whole[key] : undefined;
}
