import type { Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import { FORMATS } from './draw-format.ts';
import { drawPattern } from './draw-pattern.ts';
import { knownValue } from './known-value.ts';
import type { Prompt } from './prompt.ts';
import type { Schema } from './resolve-schema.ts';
import type { ValueSite } from './value-site.ts';
import { writeQuestion, writeReason, writeSentence } from './write-sentences.ts';

const QUESTION = /question/i;
const REASON = /reason|comment|review/i;
const LONG_TEXT = /descri|summar|content|text|body|explan|answer|message|note|instruction/i;
/** Keeps a schema from asking for more text than anyone would. */
const LONGEST = 100_000;

/** Draws a string of a schema: of its format or pattern, else a value the question gives, else text. */
export function drawString(schema: Schema, site: ValueSite): string {
  const { prompt, random } = site;
  const format = FORMATS.get(schema['format']);
  if (format !== undefined) return format(random, prompt);
  const fewest = Math.min(Number(schema['minLength'] ?? 0), LONGEST);
  const most = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  const fits = ({ length }: string) => length >= fewest && length <= most;
  const { pattern } = schema;
  const known = typeof pattern === 'string' ? drawPattern(pattern, random, fits) : knownValue(schema, site);
  return fit(known ?? write(site), { fewest, most, prompt, random });
}

/** A text that suits the name of a property. */
function write({ name, prompt, random }: ValueSite): string {
  if (QUESTION.test(name)) return writeQuestion(prompt, random);
  if (REASON.test(name)) return writeReason(prompt, random);
  return LONG_TEXT.test(name) ? writeSentence(prompt, random) : pick(prompt.words, random);
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
