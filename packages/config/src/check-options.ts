import { inspect } from 'node:util';
import { DataDesignerError, isFields, type Violation } from '@data-designer/core';
import { loadRemedies } from './load-remedies.ts';
import { camelCase } from './spelling.ts';

/** The values that an option of a call may have. */
export interface OptionRule {
  readonly fits: (value: unknown) => boolean;
  /** The noun for such a value, with its article, as in `5 is not a function.` */
  readonly kind: string;
  readonly remedy: string;
  /** Whether the option must be given; false by default. */
  readonly required?: boolean;
  /** The rules of the value's own options. */
  readonly within?: Readonly<Record<string, OptionRule>>;
}

/** One rule for every option of a call. */
export type OptionRules<Options> = Readonly<Record<keyof Options, OptionRule>>;

/** Plain JavaScript may pass any value for an option: the rules that several calls share. */
export const optionRule = {
  any: { fits: () => true, kind: 'a value', remedy: '' },
  rows: {
    fits: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 1,
    kind: 'a number of rows',
    remedy: 'Use a whole number, 1 or more.',
  },
  amount: {
    fits: (value) => typeof value === 'number' && value > 0,
    kind: 'an amount',
    remedy: 'Use a number above 0.',
  },
  text: { fits: (value) => typeof value === 'string', kind: 'a text', remedy: 'Use a text.' },
  flag: { fits: (value) => typeof value === 'boolean', kind: 'a boolean', remedy: 'Use true or false.' },
  list: { fits: Array.isArray, kind: 'a list', remedy: 'Use a list.' },
  mapping: { fits: isFields, kind: 'an object', remedy: 'Use an object.' },
  callback: { fits: (value) => typeof value === 'function', kind: 'a function', remedy: 'Use a function.' },
  signal: {
    fits: (value) => isFields(value) && 'aborted' in value && 'addEventListener' in value,
    kind: 'an AbortSignal',
    remedy: 'Use the signal of an AbortController.',
  },
} as const satisfies Readonly<Record<string, OptionRule>>;

/** The rule of an option with a few known values. */
export function oneOf(kind: string, known: readonly string[]): OptionRule {
  const fits = (value: unknown) => typeof value === 'string' && known.includes(value);
  return { fits, kind, remedy: `Use one of: ${known.join(', ')}.` };
}

/** Throws `config/invalid` with every unknown or invalid option of a call; undefined counts as not given. */
export function checkOptions<Options>(given: Options, rules: OptionRules<Options>, call: string): void {
  const violations = mistakesOf(given ?? {}, { ...optionRule.mapping, within: rules }, '');
  if (violations.length > 0)
    throw new DataDesignerError('config/invalid', { source: `The call of ${call}`, violations });
}

function mistakesOf(value: unknown, rule: OptionRule, path: string): Violation[] {
  if (value === undefined) return [];
  if (!rule.fits(value)) {
    const shown =
      typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0, breakLength: Infinity });
    const told = rule.within && loadRemedies().unfitOptions(value, rule.within);
    return [mistake(path, `${told?.shown ?? shown} is not ${rule.kind}.`, told?.remedy ?? rule.remedy)];
  }
  const { within } = rule;
  if (within === undefined || !isFields(value)) return [];
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = Object.entries(within).filter(([name, { required }]) => required && value[name] === undefined);
  const wrong = Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    const inner = pathOf(name);
    const known = Object.hasOwn(within, name) ? within[name] : undefined;
    if (known) return mistakesOf(part, known, inner);
    if (part === undefined) return [];
    const remedy = loadRemedies().remedyOfOption(camelCase(name), Object.keys(within));
    return [mistake(inner, `there is no option '${name}'.`, remedy)];
  });
  return [...missing.map(([name, { remedy }]) => mistake(pathOf(name), 'this option is missing.', remedy)), ...wrong];
}

function mistake(path: string, message: string, remedy: string): Violation {
  return { stage: 'run', level: 'ERROR', type: 'invalid_option', path, message, remedy };
}
