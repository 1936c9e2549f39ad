import { createRequire } from 'node:module';
import type { Faker } from '@faker-js/faker';
import { isFields } from '@data-designer/core';
import type { DataName } from './faker-locales.ts';

const require = createRequire(import.meta.url);

/** The lists and patterns of a locale; missing ones come from its language, else from English. */
export interface NameData {
  /** The value at a path such as `location.city_name`; undefined or null if missing. */
  readonly at: (path: string) => unknown;
  /** The texts of a list; empty if missing. */
  readonly texts: (path: string) => readonly string[];
  /** Whether the value is present and not an English substitute. */
  readonly isOwn: (path: string) => boolean;
}

/** Loads a locale and English, synchronously: the first load in a thread takes 20 ms and 10 MB. */
export function loadNameData(name: DataName): NameData {
  const own = definitionsOf(name);
  const english = definitionsOf('en');
  const at = (path: string): unknown => valueAt(own, path);
  return {
    at,
    texts: (path) => textsIn(at(path)),
    isOwn: (path) => {
      const value = at(path) ?? null;
      return value !== null && (name.startsWith('en') || value !== valueAt(english, path));
    },
  };
}

function definitionsOf(name: DataName | 'en'): unknown {
  const { faker } = require(`@faker-js/faker/locale/${name}`) as { readonly faker: Faker };
  return faker.rawDefinitions;
}

function valueAt(tree: unknown, path: string): unknown {
  let value = tree;
  for (const key of path.split('.')) {
    if (!isFields(value)) return undefined;
    value = value[key];
  }
  return value;
}

/** The texts of a list; for lists by sex the generic one, else both. */
function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((text): text is string => typeof text === 'string' && text !== '');
  if (!isFields(value)) return [];
  const { generic, female, male } = value;
  return generic === undefined ? [...textsIn(female), ...textsIn(male)] : textsIn(generic);
}
