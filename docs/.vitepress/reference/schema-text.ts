import { type Fields, fieldsOf, itemsOf, stringOf } from '@data-designer/core';
import { anchorOf } from '../anchor.ts';
import { code, either, prose, table } from './markdown.ts';

/** The type of a value in words, such as "integer (1 or more)" or "list of string". */
function typeText(schema: Fields): string {
  return either([...new Set(typeWords(schema))]);
}

/** The types that a value may have, one by one. */
function typeWords(schema: Fields): readonly string[] {
  const variants = variantsOf(schema);
  if (variants.length > 0) return variants.flatMap(typeWords);
  if (schema.const !== undefined) return [valueText(schema.const)];
  if (Array.isArray(schema.enum)) return schema.enum.map(valueText);
  if (Array.isArray(schema.type)) return schema.type.flatMap((type) => typeWords({ ...schema, type }));
  if (schema.type === 'array') return [listText(schema)];
  if (schema.type === 'object') return [objectText(schema)];
  if (schema.type === 'integer' || schema.type === 'number') return [`${schema.type}${boundsText(schema)}`];
  if (schema.type === 'null') return ['`null`'];
  return [typeof schema.type === 'string' ? schema.type : 'any value'];
}

/** The variants of a union, unions within it included; none for other schemas. */
export function variantsOf(schema: Fields): readonly Fields[] {
  return itemsOf(schema.anyOf).flatMap((part) => {
    const inner = variantsOf(fieldsOf(part));
    return inner.length > 0 ? inner : [fieldsOf(part)];
  });
}

function listText({ items, prefixItems }: Fields): string {
  const parts = itemsOf(prefixItems).map((item) => typeText(fieldsOf(item)));
  if (parts.length > 0) return `list [${parts.join('; ')}]`;
  const variants = variantsOf(fieldsOf(items));
  const isObjects = variants.length > 0 && variants.every(isObject);
  return `list of ${isObjects || isObject(fieldsOf(items)) ? 'objects' : typeText(fieldsOf(items))}`;
}

function objectText(schema: Fields): string {
  const values = fieldsOf(schema.additionalProperties);
  if (isObject(schema) || Object.keys(values).length === 0) return 'object';
  const variants = variantsOf(values);
  return `object of ${variants.some(isObject) ? 'objects' : typeText(values)}`;
}

function isObject({ properties }: Fields): boolean {
  return properties !== undefined;
}

/** Bounds of a number; those of a safe integer go without saying. */
function boundsText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Fields): string {
  const [low, high, above, below] = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].map(boundOf);
  if (low !== undefined && high !== undefined) return ` (${low} to ${high})`;
  const parts = [
    above === undefined ? [] : [`above ${above}`],
    low === undefined ? [] : [`${low} or more`],
    below === undefined ? [] : [`below ${below}`],
    high === undefined ? [] : [`at most ${high}`],
  ].flat();
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function boundOf(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** The description of a schema as Markdown; empty without one. */
export function descriptionOf({ description }: Fields): string {
  return prose(stringOf(description) ?? '');
}

/** The value of the tag of a variant. */
export function tagOf({ properties }: Fields, key: string): string {
  return stringOf(fieldsOf(fieldsOf(properties)[key]).const) ?? '';
}

/** The objects within the type of a key that have keys of their own. */
function nestedObjects(schema: Fields): readonly Fields[] {
  const own = schema.type === 'array' ? fieldsOf(schema.items) : schema;
  const variants = variantsOf(own).flatMap(nestedObjects);
  return isObject(own) ? [own] : variants;
}

interface Place {
  readonly level: number;
  /** The object that has the keys, for titles. */
  readonly owner: string;
}

/** Writes tables of keys. Variants of an object within a key have sections of their own, once per page. */
export class KeyTables {
  readonly #sections = new Map<string, string>();

  /** The table of an object's keys, followed by the sections of the variants within it. */
  render(schema: Fields, place: Place): string[] {
    const sections: string[] = [];
    const rows = this.#rows(schema, '', { place, sections });
    return [table(['Key', 'Type', 'Default', 'Description'], rows), ...sections];
  }

  #rows(schema: Fields, path: string, into: { readonly place: Place; readonly sections: string[] }): string[][] {
    const required = itemsOf(schema.required);
    return Object.entries(fieldsOf(schema.properties)).flatMap(([key, part]) => {
      const field = fieldsOf(part);
      const nested = nestedObjects(field);
      const name = `${path}${key}`;
      const isVariants = nested.length > 1;
      const links = isVariants ? nested.map((object) => this.#section(name, object, into)) : [];
      const type = links.length === 0 ? typeText(field) : `${typeText(field)}: ${either(links)}`;
      const row = [
        code(name),
        type,
        defaultText(field, required.includes(key)),
        descriptionOf(field) || descriptionOf(nested[0] ?? {}),
      ];
      if (nested.length !== 1) return [row];
      const isList = variantsOf(field)
        .concat(field)
        .some(({ type: kind }) => kind === 'array');
      return [row, ...this.#rows(nested[0] ?? {}, `${name}${isList ? '[]' : ''}.`, into)];
    });
  }

  /** Adds the section of a variant unless the page has it; returns a link to it. */
  #section(name: string, object: Fields, { place, sections }: { readonly place: Place; readonly sections: string[] }) {
    const label = tagText(object);
    const known = this.#sections.get(JSON.stringify(object));
    if (known !== undefined) return `[${label}](#${known})`;
    const title = `${code(name)} of ${place.owner}${label === 'keys' ? '' : `: ${label}`}`;
    this.#sections.set(JSON.stringify(object), anchorOf(title));
    sections.push(`${'#'.repeat(place.level)} ${title}`, descriptionOf(object));
    sections.push(...this.render(object, { level: place.level + 1, owner: code(name) }));
    return `[${label}](#${anchorOf(title)})`;
  }
}

/** The tag that tells a variant from the others. */
function tagText({ properties }: Fields): string {
  const tags = Object.values(fieldsOf(properties)).flatMap((part) => stringOf(fieldsOf(part).const) ?? []);
  if (tags.length > 0) return tags.map(code).join(', ');
  return Object.keys(fieldsOf(properties)).map(code).join(', ');
}

function defaultText(field: Fields, isRequired: boolean): string {
  if (isRequired) return '**required**';
  return field.default === undefined ? '–' : valueText(field.default);
}

/** A value as YAML writes it. */
function valueText(value: unknown): string {
  const isPlain = typeof value === 'string' && value !== '';
  return code(isPlain ? value : JSON.stringify(value));
}
