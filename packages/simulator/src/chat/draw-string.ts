import type { Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import { FORMATS } from './draw-format.ts';
import { drawPattern } from './draw-pattern.ts';
import { knownValue } from './known-value.ts';
import type { Prompt } from './prompt.ts';
import type { Schema } from './resolve-schema.ts';
import type { ValueSite } from './value-site.ts';
import { writeSentence } from './write-sentences.ts';

const LONG_TEXT = /reason|descri|summar|content|text|body|explan|comment|answer|message|note|review|instruction/i;
/** Keeps a schema from asking for more text than anyone would. */
const LONGEST = 100_000;

/** Draws a string of a schema: of its format or pattern, else a value the question gives, else words or a sentence. */
export function drawString(schema: Schema, site: ValueSite): string {
  const { prompt, random, name } = site;
  const format = FORMATS.get(schema['format']);
  if (format !== undefined) return format(random, prompt);
  const fewest = Math.min(Number(schema['minLength'] ?? 0), LONGEST);
  const most = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  const fits = ({ length }: string) => length >= fewest && length <= most;
  const { pattern } = schema;
  const known = typeof pattern === 'string' ? drawPattern(pattern, random, fits) : knownValue(schema, site);
  const drawn = known ?? (LONG_TEXT.test(name) ? writeSentence(prompt, random) : pick(prompt.words, random));
  return fit(drawn, { fewest, most, prompt, random });
}

interface Fit {
  readonly fewest: number;
  readonly most: number;
  readonly prompt: Prompt;
  readonly random: Random;
}

/** Lengthens a text with words of the question, or cuts it, counting Unicode characters as JSON Schema does. */
function fit(text: string, { fewest, most, prompt, random }: Fit): string {
  if (fewest === 0 && text.length <= most) return text;
  const characters = Array.from(text);
  while (characters.length < fewest) characters.push(' ', ...Array.from(pick(prompt.words, random)));
  return characters.slice(0, most).join('');
}
