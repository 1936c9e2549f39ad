import { fieldsOf, itemsOf } from '@data-designer/core';

type Schema = Readonly<Record<string, unknown>>;

/** How large a strict schema may be (source: OpenAI's guide to structured outputs). */
const LARGEST = { levels: 10, properties: 5000, options: 1000, characters: 120_000 } as const;

/** Whether a strict schema is no larger than strict endpoints take. */
export function isWithinLimits(schema: Schema): boolean {
  const size = { properties: 0, options: 0, characters: 0 };
  const levels = measure(schema, size);
  return (
    levels <= LARGEST.levels &&
    size.properties <= LARGEST.properties &&
    size.options <= LARGEST.options &&
    size.characters <= LARGEST.characters
  );
}

interface Size {
  properties: number;
  options: number;
  characters: number;
}

/** Adds a schema and its parts to the size; how many objects and lists stand within each other there. */
function measure(schema: Schema, size: Size): number {
  const { properties, items, anyOf, enum: options, const: only, $defs, definitions } = schema;
  const values = itemsOf(options);
  const names = [properties, $defs, definitions].flatMap((parts) => Object.keys(parts ?? {}));
  size.properties += Object.keys(properties ?? {}).length;
  size.options += values.length;
  for (const text of [...names, ...values, only]) if (typeof text === 'string') size.characters += text.length;
  const deepest = (...parts: readonly unknown[]) => {
    return parts.flat().reduce<number>((levels, part) => Math.max(levels, measure(fieldsOf(part), size)), 0);
  };
  const within = properties || items ? 1 + deepest(Object.values(properties ?? {}), items ?? []) : 0;
  return Math.max(within, deepest(anyOf ?? [], Object.values($defs ?? {}), Object.values(definitions ?? {})));
}
