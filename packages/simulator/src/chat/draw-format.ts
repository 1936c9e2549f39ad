import type { Random } from '@data-designer/core';
import { pick } from '../draws.ts';
import type { Prompt } from './prompt.ts';

type Format = (random: Random, prompt: Prompt) => string;

/** How a string of each `format` is drawn; hosts and addresses are of the ranges kept for examples. */
export const FORMATS: ReadonlyMap<unknown, Format> = new Map<unknown, Format>([
  ['date', date],
  ['time', time],
  ['date-time', (random) => `${date(random)}T${time(random)}`],
  ['email', (random, prompt) => `someone@${host(random, prompt)}`],
  ['hostname', host],
  ['uri', (random, prompt) => `https://${host(random, prompt)}/${random.below(1000)}`],
  ['uri-reference', (random) => `/${random.below(1000)}`],
  ['uuid', uuid],
  ['ipv4', (random) => `192.0.2.${random.below(256)}`],
  ['ipv6', (random) => `2001:db8::${hex(4, random)}`],
  ['duration', (random) => `P${1 + random.below(30)}D`],
]);

function digits(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

function date(random: Random): string {
  return `${2000 + random.below(30)}-${digits(1 + random.below(12))}-${digits(1 + random.below(28))}`;
}

function time(random: Random): string {
  return `${digits(random.below(24))}:${digits(random.below(60))}:${digits(random.below(60))}Z`;
}

function host(random: Random, { words }: Prompt): string {
  return `${
    pick(words, random)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '') || 'simulator'
  }.example.com`;
}

function hex(width: number, random: Random): string {
  return random
    .below(16 ** width)
    .toString(16)
    .padStart(width, '0');
}

function uuid(random: Random): string {
  return `${hex(8, random)}-${hex(4, random)}-4${hex(3, random)}-8${hex(3, random)}-${hex(12, random)}`;
}
