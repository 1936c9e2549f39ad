import { expect, test } from 'vitest';
import { shorten } from './shorten.ts';

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

async function printsA(text: string): Promise<boolean> {
  const isWhole =
    count(text, '{% for') === count(text, '{% endfor') && count(text, '{% if') === count(text, '{% endif');
  return text.includes('{{ a }}') && isWhole;
}

async function opensAndCloses(text: string): Promise<boolean> {
  return text.includes('{') && text.includes('}}');
}

test('an unneeded statement is removed together with its end', async () => {
  const template = '{% set a = 1 %}{% for x in b %}text{{ x }}{% endfor %}{{ a }}{% if a %}{% endif %}';
  expect(await shorten(template, printsA)).toBe('{{ a }}');
});

test('the shortened template still shows the difference', async () => {
  expect(await shorten('{{ a }}{{ b }} and {% c %}', opensAndCloses)).toBe('{}}');
});
