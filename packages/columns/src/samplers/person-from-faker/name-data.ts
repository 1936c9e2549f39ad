import { createRequire } from 'node:module';
import type { Faker } from '@faker-js/faker';
import { isFields } from '@data-designer/core';
import type { DataName } from './faker-locales.ts';

const require = createRequire(import.meta.url);

/** The lists and patterns of a locale. What it lacks is its language's, and what that lacks is English. */
export interface NameData {
  /** What stands at a path such as `location.city_name`; undefined or null where there is nothing. */
  readonly at: (path: string) => unknown;
  /** The texts of a list; none where there is no list. */
  readonly texts: (path: string) => readonly string[];
  /** Whether there is something that is not English in place of what is lacking. */
  readonly isOwn: (path: string) => boolean;
}

/**
 * Loads the data of one locale, and English with it. It is waited for, and only where people are drawn: the first in a
 * thread takes 20 ms and 10 MB.
 */
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

/** A list as it is; of lists by sex the one for anybody, else those of both. */
function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((text): text is string => typeof text === 'string' && text !== '');
  if (!isFields(value)) return [];
  const { generic, female, male } = value;
  return generic === undefined ? [...textsIn(female), ...textsIn(male)] : textsIn(generic);
}
