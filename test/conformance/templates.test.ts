import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type CellValue, DataDesignerError, type FailureCode, Float, type Row } from '@data-designer/core';
import { compileCondition, compileObjectTemplate, compileSkip, compileTemplate } from '@data-designer/template';
import { readRows } from './read-rows.ts';

type Engine = 'secure' | 'native' | 'condition' | 'skip' | 'schema_transform';

interface TemplateRow {
  readonly id: string;
  readonly area: string;
  readonly engine: Engine;
  readonly template: string & Readonly<Record<string, CellValue>>;
  readonly record: Row;
  readonly output?: CellValue;
  readonly output_length?: number;
  readonly output_sha256?: string;
  readonly error?: string;
  readonly any_error?: boolean;
}

/** Rows that are not held to, each with its ruling. */
const RULINGS: Readonly<Record<string, string>> = {
  'tp-schema_transform-06': 'lenient: a double-quoted string within an expression of a shape is read as one',
  'tp-skip-36': 'lenient: no template may change its record, so a rule that tries is one that cannot be evaluated',
};

/** What stands for a value that JSON does not have; where cells cannot hold it either, what a reader of seeds makes of it. */
const MARKERS: Readonly<Record<string, (value: never) => unknown>> = {
  $float: (name: 'nan' | 'inf' | '-inf') => ({ nan: NaN, inf: Infinity, '-inf': -Infinity })[name],
  $date: (text: string) => text,
  $datetime: (text: string) => text.replace(' ', 'T'),
  $timestamp: (text: string) => text.replace(' ', 'T'),
  $decimal: floatOf,
  $seconds: floatOf,
  $bytes: (value: CellValue) => value,
  $set: (value: CellValue) => value,
  $tuple: (value: CellValue) => value,
  $na: () => null,
  $nat: () => null,
  $int64: (value: CellValue) => value,
  $float64: (value: CellValue) => value,
  $ndarray: (value: CellValue) => value,
  $opaque: () => new Map(),
};

function floatOf(value: CellValue): number | Float {
  const number = Number(value);
  return Number.isInteger(number) ? new Float(number) : number;
}

function built(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(built);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value);
  const [marker, content] = entries[0] ?? [];
  const build = marker === undefined || entries.length > 1 ? undefined : MARKERS[marker];
  if (build !== undefined) return build(built(content) as never);
  return Object.fromEntries(entries.map(([key, part]) => [key, built(part)]));
}

const random = () => 0;

function run({ engine, template, record }: TemplateRow): unknown {
  const row = built(record) as Row;
  switch (engine) {
    case 'condition':
      return { match: compileCondition(template)(row) };
    case 'skip':
      return { skipped: compileSkip(template)(row) };
    case 'schema_transform':
      return compileObjectTemplate(template)(row, random);
    default:
      return compileTemplate(template, { mode: engine })(row, random);
  }
}

function digestOf(text: string): unknown {
  return { length: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}

/** The failures that an error of the rows stands for. */
const CODES: Readonly<Record<string, readonly FailureCode[]>> = {
  empty_render: ['template/empty-render'],
  invalid_template: ['template/syntax', 'template/refused', 'template/limit'],
  unsupported_filter: ['template/unsupported-filter'],
  record: ['template/record'],
  type: ['template/record'],
};

function codesOf({ error = '', engine, area, any_error: anyError }: TemplateRow): readonly FailureCode[] {
  if (anyError === true || area === 'attack') return Object.values(CODES).flat();
  const codes = CODES[error] ?? [];
  return engine === 'native' && error === 'invalid_template' ? [...codes, 'template/record'] : codes;
}

const rows = readRows<TemplateRow>('templates.jsonl');

test('there is no ruling for a row that is not there', () => {
  const ids = new Set(rows.map(({ id }) => id));
  expect(Object.keys(RULINGS).filter((id) => !ids.has(id))).toEqual([]);
});

describe.each(['secure', 'native', 'condition', 'skip', 'schema_transform'] as const)('%s', (engine) => {
  const held = rows.filter((row) => row.engine === engine && RULINGS[row.id] === undefined);

  test.each(held.filter(({ error }) => error === undefined))('$id: $template', (row) => {
    const { output, output_length: length, output_sha256: sha256 } = row;
    const found = run(row);
    expect(sha256 === undefined ? found : digestOf(found as string)).toEqual(output ?? { length, sha256 });
  });

  test.each(held.filter(({ error }) => error !== undefined))('$id: $template fails', (row) => {
    let thrown: unknown;
    try {
      run(row);
    } catch (failure) {
      thrown = failure;
    }
    expect(thrown).toBeInstanceOf(DataDesignerError);
    expect(codesOf(row)).toContain((thrown as DataDesignerError).code);
  });
});
