import { type Finding, itemsOf, knownNames, printNames, stringifyJson, type Surroundings } from '@data-designer/core';
import { runFinding } from '../../run-finding.ts';
import { allParams, type SampledColumn, sampledColumn } from '../sampled-column.ts';
import { checkListed, isListedValue, type ListedValue, listType } from '../value-list.ts';

/** The lists of a subcategory by category value. */
interface Lists {
  readonly category: string;
  readonly values: Readonly<Record<string, readonly ListedValue[]>>;
}

/** Finds category values without a list, lists without a category value, and empty lists. */
export function checkLists({ category, values }: Lists, { columns }: Surroundings): readonly Finding[] {
  const empty = Object.keys(values).filter((key) => values[key]?.length === 0);
  const found = empty.map((key) => {
    return runFinding(['values', key], { type: 'empty_list', message: 'the list is empty.', remedy: 'Add a value.' });
  });
  const type = listType(Object.values(values).flat());
  found.push(...Object.entries(values).flatMap(([key, list]) => checkListed(type, list, ['values', key])));
  const parent = columns.get(category);
  // The check of references reports a missing column.
  if (parent === undefined) return found;
  const sampled = sampledColumn(parent);
  if (sampled?.samplerType !== 'category') return [...found, notCategory(category)];
  return [...found, ...checkCoverage({ category, values }, valuesOf(sampled))];
}

function notCategory(category: string): Finding {
  return {
    stage: 'load',
    type: 'sub_parent_not_category',
    level: 'ERROR',
    field: ['category'],
    message: `the column '${category}' does not use the category sampler.`,
    remedy: 'Use a column with the category sampler.',
  };
}

/** All values that a category column may hold, with its conditional parameters. */
function valuesOf(parent: SampledColumn): readonly ListedValue[] {
  return allParams(parent)
    .filter(({ samplerType }) => samplerType === 'category')
    .flatMap(({ values }) => itemsOf(values).filter(isListedValue));
}

function checkCoverage({ category, values }: Lists, drawn: readonly ListedValue[]): Finding[] {
  // Parameters of another sampler have their own finding.
  if (drawn.length === 0) return [];
  const numbers = drawn.filter((value) => typeof value !== 'string');
  const texts = [...new Set(drawn.filter((value) => typeof value === 'string'))];
  const uncovered = texts.filter((text) => !Object.hasOwn(values, text));
  const unused = Object.keys(values).filter((key) => !texts.includes(key));
  const found: Finding[] = [];
  if (numbers.length > 0) {
    const message = `the category values of '${category}' must be text, but some are numbers: ${listed(numbers)}.`;
    found.push(
      runFinding(['values'], {
        type: 'missing_list',
        message,
        remedy: 'Put quotes around these values in the category column.',
      }),
    );
  }
  if (uncovered.length > 0) {
    const message = `these values of '${category}' have no list: ${listed(uncovered)}.`;
    found.push(runFinding(['values'], { type: 'missing_list', message, remedy: 'Add a list for each of them.' }));
  }
  return [...found, ...unused.map((key) => unusedList(key, { category, texts }))];
}

function unusedList(key: string, { category, texts }: { category: string; texts: readonly string[] }): Finding {
  const message = `the column '${category}' never has the value '${key}'.`;
  return runFinding(['values', key], { type: 'unused_list', message, remedy: knownNames(key, texts) });
}

/** The first few values as JSON. */
function listed(values: readonly ListedValue[]): string {
  return printNames(
    values.map((value) => stringifyJson(value)),
    5,
  );
}
