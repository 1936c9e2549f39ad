import type { Scalar, ScalarTag } from 'yaml';
import { Float, printFloat } from '@data-designer/core';
import { loadYaml } from '../load-yaml.ts';
import { parseYaml } from '../yaml.ts';

/** The scalars that are no text, in their YAML 1.1 spelling. */
const TAGS: ScalarTag[] = [
  scalar(
    'null',
    (value) => value === null || value === undefined,
    () => 'null',
  ),
  scalar('bool', (value) => typeof value === 'boolean', String),
  scalar('int', (value) => typeof value === 'bigint' || Number.isSafeInteger(value), String),
  scalar(
    'float',
    (value) => typeof value === 'number' || value instanceof Float,
    (value) => floatText(Number(value)),
  ),
];

/** Prints YAML in block style with sorted keys that `parseYaml` reads as the same value. */
export function printYaml(value: unknown): string {
  const { Document, visit } = loadYaml();
  const document = new Document(value, {
    schema: 'failsafe',
    customTags: (tags) => [...tags, ...TAGS],
    sortMapEntries: true,
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string') node.type = styleOf(node.value);
    },
  });
  const text = document.toString({ indentSeq: false, lineWidth: 0, blockQuote: 'literal' });
  // `styleOf` puts such characters between double quotes, where an escape means the same.
  return text.replace(SPECIALS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function scalar(name: string, identify: (value: unknown) => boolean, print: (value: unknown) => string): ScalarTag {
  return {
    tag: `tag:yaml.org,2002:${name}`,
    default: true,
    identify,
    resolve: String,
    stringify: ({ value }) => print(value),
  };
}

/** A float with a point: YAML 1.1 reads an exponent without a point as text. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
  const text = printFloat(value);
  return text.includes('.') ? text : text.replace('e', '.0e');
}

/** Characters that readers take for line breaks, or refuse outside of escapes: controls, separators, marks, halves of pairs. */
const SPECIAL = /[^\t\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;
const SPECIALS = new RegExp(SPECIAL, 'gu');

/** Plain text with another meaning in YAML 1.1: a merge key, `=`, which PyYAML refuses, and dates. */
const RESERVED = /^(?:<<|=|\d{4}-\d\d-\d\d)$/;

function styleOf(text: string): Scalar.Type {
  const { Scalar } = loadYaml();
  if (SPECIAL.test(text)) return Scalar.QUOTE_DOUBLE;
  if (text.includes('\n')) return /\S/.test(text) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
  if (text.includes('\t')) return Scalar.QUOTE_DOUBLE;
  return !RESERVED.test(text) && readsAsItself(text) ? Scalar.PLAIN : Scalar.QUOTE_SINGLE;
}

function readsAsItself(text: string): boolean {
  try {
    return parseYaml(text) === text;
  } catch {
    return false;
  }
}
