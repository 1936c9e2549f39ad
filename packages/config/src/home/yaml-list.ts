import type { Document, Pair, ScalarTag, YAMLMap, YAMLSeq } from 'yaml';
import { printYaml } from '../builder/print-yaml.ts';
import { loadYaml } from '../load-yaml.ts';
import { type Mapping, snakeCase } from '../spelling.ts';

/** Reads an empty value as null and writes it as nothing; every other scalar keeps its text. */
const NOTHING: ScalarTag = {
  tag: 'tag:yaml.org,2002:null',
  default: true,
  test: /^$/,
  identify: (value) => value === null,
  resolve: () => null,
  stringify: () => '',
};

/** One list of mappings in the text of a YAML file, changed entry by entry; everything else in the text stays. */
export class YamlList {
  readonly #document: Document.Parsed;
  readonly #list: YAMLSeq | undefined;
  readonly #before: string;

  /** The list under a key in either spelling. */
  constructor(text: string, key: string) {
    const { isSeq } = loadYaml();
    this.#before = text;
    this.#document = parse(text);
    const found = [key, snakeCase(key)].map((one) => this.#document.get(one, true)).find((node) => isSeq(node));
    this.#list = found;
  }

  /** Whether the list is missing or has items that are no mappings, such as aliases. */
  get isUnusable(): boolean {
    const { isMap } = loadYaml();
    return this.#list === undefined || !this.#list.items.every((item) => isMap(item));
  }

  /** The entries as they are read. */
  get values(): readonly unknown[] {
    return this.#maps.map((map) => map.toJS(this.#document));
  }

  /** The whole text. */
  get text(): string {
    const isCompact = /[{[][^\s\]}]/.test(this.#before);
    return this.#document.toString({
      lineWidth: 0,
      indentSeq: /^ +- /m.test(this.#before),
      flowCollectionPadding: !isCompact,
    });
  }

  /** Adds an entry at the end, its fields in the order given; undefined ones are left out. Names are as for `update`. */
  add(fields: Mapping): void {
    const list = this.#list as YAMLSeq;
    if (list.items.length === 0) list.flow = false;
    const entries = Object.entries(fields);
    list.add(parse(textOfFields(Object.fromEntries(entries.filter((entry) => !isDotted(entry))))).contents);
    this.update(list.items.length - 1, Object.fromEntries(entries.filter(isDotted)));
  }

  /** Gives fields of an entry other values, or takes them out; `a.b` is the field b of the mapping a. */
  update(index: number, fields: Mapping): void {
    for (const [field, value] of Object.entries(fields))
      updateIn(this.#maps[index] as YAMLMap, field.split('.'), value);
  }

  delete(index: number): void {
    this.#list?.delete(index);
  }

  get #maps(): readonly YAMLMap[] {
    return (this.#list?.items ?? []) as YAMLMap[];
  }
}

/** Failsafe reading takes every value for text, and so writes each as it was. */
function parse(text: string): Document.Parsed {
  return loadYaml().parseDocument(text, {
    schema: 'failsafe',
    customTags: (tags) => [...tags, NOTHING],
    prettyErrors: false,
  });
}

function isDotted([field]: readonly [string, unknown]): boolean {
  return field.includes('.');
}

/** Gives the field at the end of a path another value, or takes it out. */
function updateIn(map: YAMLMap, [field = '', ...inner]: readonly string[], value: unknown): void {
  const key = [field, snakeCase(field)].find((one) => map.has(one));
  const part = key === undefined ? undefined : map.get(key, true);
  if (inner.length > 0 && loadYaml().isMap(part)) updateIn(part, inner, value);
  else if (value === undefined) {
    if (inner.length === 0) map.delete(key);
  } else {
    const whole = inner.reduceRight<unknown>((within, name) => ({ [snakeCase(name)]: within }), value);
    if (key === undefined) map.items.push(pairOf(field, whole));
    else replace(map, key, pairOf(field, whole).value);
  }
}

function textOfFields(fields: Mapping): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.map(([field, value]) => printYaml({ [snakeCase(field)]: value })).join('');
}

function pairOf(field: string, value: unknown): Pair {
  const { items } = parse(textOfFields({ [field]: value })).contents as unknown as YAMLMap;
  return items[0] as Pair;
}

/** A comment behind a value stays there. */
function replace(map: YAMLMap, key: string, value: unknown): void {
  const { isScalar } = loadYaml();
  const before = map.get(key, true);
  if (isScalar(before) && isScalar(value) && before.comment) value.comment = before.comment;
  map.set(key, value);
}
