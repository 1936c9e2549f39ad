import { isMapping, type Mapping } from './spelling.ts';

/** A value of another kind than its key takes. */
interface WrongValue {
  /** The key, as it is written. */
  readonly key: string;
  /** The kinds that it takes, in words. */
  readonly expected: string;
  readonly found: unknown;
}

/** What to write in place of a value of another kind, if it says what was meant. */
export function remedyOfValue(wrong: WrongValue): string | undefined {
  const { key, expected, found } = wrong;
  if (typeof found === 'string') {
    if (/\bnumber\b/.test(expected)) return numberMeant(found);
    if (key === 'options') return optionsMeant(found);
    return /\bmapping\b/.test(expected) ? conditionMeant(key, found) : undefined;
  }
  if (expected === 'text' && Array.isArray(found) && found.length === 1 && typeof found[0] === 'string') {
    return `Write the text itself, not a list: '${found[0]}'.`;
  }
  if (key === 'source' && Array.isArray(found)) return "Write { seedType: 'df', rows: [ … ] }.";
  return isMapping(found) && key === 'values' ? weightsMeant(found) : undefined;
}

/** A number that is written as people do: a percentage, thousands, or text in quotes. */
function numberMeant(text: string): string | undefined {
  const [, digits, mark] = /^(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*([%kKmM]?)$/.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits.replaceAll(',', ''));
  if (mark === '') return `Write ${number}${digits.includes(',') ? '' : ' without quotes'}.`;
  const factors: Readonly<Record<string, number>> = { k: 1e3, m: 1e6 };
  return `Write ${mark === '%' ? Number((number / 100).toPrecision(12)) : number * (factors[mark?.toLowerCase() ?? ''] ?? 1)}.`;
}

/** Scores that are given as a range, or as a list in one text. */
function optionsMeant(text: string): string | undefined {
  const [, first, last] = /^(-?\d+)\s*(?:-|–|\.\.+|to)\s*(-?\d+)$/.exec(text.trim()) ?? [];
  const names = first !== undefined && last !== undefined ? [first, last] : text.split(/\s*[,/|]\s*/);
  const isPlain = names.length > 1 && names.every((name) => /^[\w -]{1,30}$/.test(name));
  if (!isPlain) return undefined;
  const [one = '', ...others] = names.map((name) => `'${name}': 'what it means'`);
  const between = first !== undefined && Number(last) - Number(first) > 1 ? [' …'] : [];
  return `Give each option its meaning, as in { ${[one, ...between, ...others.map((other) => ` ${other}`)].join(',')} }.`;
}

/** The key of a mapping that takes a condition, and whether the condition is a template. */
const CONDITIONS: ReadonlyMap<string, readonly [key: string, isTemplate: boolean]> = new Map([
  ['skip', ['when', true]],
  ['select', ['where', false]],
]);

function conditionMeant(key: string, text: string): string | undefined {
  const [inner, isTemplate] = CONDITIONS.get(key) ?? [];
  if (inner === undefined || text.length > 80 || text.includes('\n')) return undefined;
  const written = isTemplate === true && !text.includes('{{') ? `{{ ${text} }}` : text;
  return `Write ${key}: { ${inner}: ${written.includes("'") ? JSON.stringify(written) : `'${written}'`} }`;
}

/** Values with their weights, in one mapping. */
function weightsMeant(found: Mapping): string | undefined {
  const entries = Object.entries(found);
  const isPlain = entries.every(([name, weight]) => typeof weight === 'number' && /^[\w -]{1,30}$/.test(name));
  if (!isPlain || entries.length === 0 || entries.length > 10) return undefined;
  const weights = entries.map(([, weight]) => String(weight));
  return `Write values: [${Object.keys(found).join(', ')}] and weights: [${weights.join(', ')}].`;
}

/** The remedy of a mapping that is an entry of the list that its key takes; undefined for another mapping. */
export function entryMeant(found: Mapping, keys: readonly string[]): string | undefined {
  const given = Object.keys(found);
  const [first] = given;
  if (first === undefined || !given.every((key) => keys.includes(key))) return undefined;
  return `Write a list: begin the entry with '- ', as in '- ${first}: …'.`;
}
