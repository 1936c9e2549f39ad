import { pick } from '../draws.ts';
import type { Schema } from './resolve-schema.ts';
import type { ValueSite } from './value-site.ts';

const QUOTE = '["\'“`]';
/** What follows a label: up to the closing quote, or without quotes up to a mark that ends a phrase. */
const PHRASE = `(?:${QUOTE}([^"'“”\`\\n]{2,60})["'”\`]|([^"'“”\`,.;:!?\\n]{2,60}))`;
const QUOTED = /["'“`]([^"'“”`\n]{2,60})["'”`]/g;

/**
 * A value for a named string that schema, tool or question give away: an example that occurs in the question, what the
 * question says after the name (`topic: solar power`), an example of the schema, or for topics what is quoted.
 */
export function knownValue(schema: Schema, site: ValueSite): string | undefined {
  const { name, prompt, random, about } = site;
  if (name === '') return undefined;
  const text = prompt.text.toLowerCase();
  const label = name.replaceAll(/[^\p{L}\p{N}]+/gu, '[ _-]');
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  const listed = listedAs(label, `${about ?? ''}\n${description}`);
  const examples = [...asStrings(schema['examples']), ...quotedIn(description), ...listed];
  const named = examples.filter((example) => text.includes(example.toLowerCase()));
  if (named.length > 0) return pick(named, random);
  const labelled = afterLabel(label, prompt.text);
  if (labelled !== undefined) return labelled;
  if (examples.length > 0) return pick(examples, random);
  return name === 'topic' ? quotedIn(prompt.text)[0] : undefined;
}

/** The values a description lists after a name, as in `Topics: bees, coffee, salt.` */
function listedAs(label: string, description: string): readonly string[] {
  const list = new RegExp(`\\b${label}s?: ([^.:\\n]+)`, 'iu').exec(description)?.[1]?.split(/,\s*(?:or |and )?/) ?? [];
  return list.length > 1 ? list.map((value) => value.trim()).filter((value) => value !== '') : [];
}

function afterLabel(label: string, text: string): string | undefined {
  const joint = String.raw`(?:\s*[=:]\s*|\s+(?:is|of|named|called)\s+|\s+(?=${QUOTE}))`;
  const [, quoted, plain] = new RegExp(`\\b${label}${joint}${PHRASE}`, 'iu').exec(text) ?? [];
  const value = (quoted ?? plain)?.trim();
  return value === '' ? undefined : value;
}

function quotedIn(text: string): readonly string[] {
  return Array.from(text.matchAll(QUOTED), ([, quoted = '']) => quoted);
}

function asStrings(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}
