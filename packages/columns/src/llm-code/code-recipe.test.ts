import { expect, test } from 'vitest';
import { ParseFailure } from '@data-designer/core';
import { codeRecipe } from './code-recipe.ts';

const block = (label: string, body: string) => `\`\`\`${label}\n${body}\n\`\`\``;

test('the body of the last block is the code, trimmed', () => {
  const answer = `Two ways:\n${block('go', 'a := 1')}\nor\n${block('go', '\n  b := 2\n\n')}\nTake your pick.`;
  expect(codeRecipe('go').parse(answer)).toBe('b := 2');
});

test('accepts a block without a label', () => {
  expect(codeRecipe('rust').parse(block('', 'fn main() {}'))).toBe('fn main() {}');
});

test('an empty block is empty code', () => {
  expect(codeRecipe('rust').parse(block('rust', ''))).toBe('');
});

test('an indented block is the code only if there is no fenced block', () => {
  expect(codeRecipe('rust').parse('So:\n\n    fn main() {\n    }\n\nDone.')).toBe('fn main() {\n}');
  expect(codeRecipe('rust').parse(`${block('rust', 'fn a() {}')}\n\n    cargo run`)).toBe('fn a() {}');
});

test('SQL is labelled without its dialect', () => {
  const { instructions, parse } = codeRecipe('sql:bigquery');
  expect(instructions).toContain('```sql ');
  expect(instructions).not.toContain('bigquery');
  expect(parse(block('sql', 'select 1'))).toBe('select 1');
});

test.each([
  ['no block', 'x = 1', /no code block/],
  ['another label', block('ts', 'let x'), /labelled 'ts', but typescript/],
  ['a label in another case', block('TypeScript', 'let x'), /labelled 'TypeScript'/],
  ['another language last', `${block('typescript', 'let x')}\n${block('bash', 'ls')}`, /labelled 'bash'/],
])('rejects %s with a message for the model', (_, answer, reason) => {
  expect(() => codeRecipe('typescript').parse(answer)).toThrow(ParseFailure);
  expect(() => codeRecipe('typescript').parse(answer)).toThrow(reason);
});
