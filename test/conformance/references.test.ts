import { expect, test } from 'vitest';
import { isFailure } from '@data-designer/core';
import { parseTemplate } from '@data-designer/template';
import { readRows } from './read-rows.ts';

interface ReferenceRow {
  readonly id?: string;
  readonly template: string;
  readonly columns?: readonly string[];
  readonly error?: string;
}

const rows = readRows<ReferenceRow>('references.jsonl');

const isRefusal = (thrown: unknown) =>
  isFailure(thrown, 'template/syntax') || isFailure(thrown, 'template/unsupported-filter');
const isGood = ({ error }: ReferenceRow) => error === undefined;

test.each(rows.filter(isGood))('$template', ({ template, columns }) => {
  expect(parseTemplate(template).references).toEqual(columns);
});

test.each(rows.filter((row) => !isGood(row)))('$template is refused', ({ template }) => {
  expect(() => parseTemplate(template)).toThrow(expect.toSatisfy(isRefusal));
});
