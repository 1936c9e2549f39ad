import { knownNames } from '@data-designer/core';

/** Options under which people look for one of ours. */
const OTHER_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['n', 'numRecords'],
  ['count', 'numRecords'],
  ['rows', 'numRecords'],
  ['numRows', 'numRecords'],
  ['limit', 'numRecords'],
  ['name', 'datasetName'],
  ['output', 'artifactPath'],
  ['folder', 'artifactPath'],
]);

/** What to write in place of an unknown option. */
export function remedyOfOption(name: string, known: readonly string[]): string {
  if (name === 'apiKey' && known.includes('providers')) {
    return "A key belongs to a model provider: providers: { models: [{ name, endpoint, apiKey: 'NAME_OF_VARIABLE' }] }.";
  }
  const meant = OTHER_OPTIONS.get(name);
  return knownNames(meant !== undefined && known.includes(meant) ? meant : name, known);
}

/** What is known of an option. */
interface KnownOption {
  readonly fits: (value: unknown) => boolean;
  readonly remedy: string;
}

/** A value in place of options: a number or a list, with what to write. */
export function unfitOptions(
  value: unknown,
  within: Readonly<Record<string, KnownOption>>,
): { readonly shown?: string; readonly remedy: string } | undefined {
  const [first] = Object.entries(within);
  if (typeof value === 'number' && first?.[1].fits(value) === true && first[1].remedy !== '') {
    return { remedy: `Write { ${first[0]}: ${value} }.` };
  }
  const names = Object.keys(within);
  if (!Array.isArray(value) || names.length > 3) return undefined;
  const lists = names.map((name) => `${name}: […]`).join(', ');
  return { shown: 'a list', remedy: `Use an object, as in { ${lists} }.` };
}

/** The remedy of a path that lacks parts: the user, or all but the name. */
export function hubPath(steps: readonly string[], isTable: (file: string) => boolean): string {
  const [name, ...others] = steps[0] === 'datasets' ? steps.slice(1) : steps;
  const isName = name !== undefined && /^[\w.-]+$/.test(name) && !isTable(name) && others.length < 2;
  const file = others.length === 1 && isTable(others[0] ?? '') ? others[0] : '<file>';
  if (!isName || (others.length === 1 && file === '<file>')) {
    return 'Write datasets/<user>/<name>/<file>; * matches any text.';
  }
  return `Write datasets/<user>/${name}/${file}: the page of the dataset on the Hub shows the user before '${name}'; * matches any text.`;
}
