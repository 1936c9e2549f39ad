import { describe, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import {
  type Cell,
  type CellValue,
  type ColumnConfig,
  ParseFailure,
  type Question,
  type WrittenValues,
} from '@data-designer/core';
import { readRows } from './read-rows.ts';

interface ParsingRow {
  readonly id: string;
  readonly area: string;
  readonly kind: 'code' | 'structured' | 'judge' | 'text';
  readonly lang?: string;
  readonly schema?: Readonly<Record<string, CellValue>>;
  readonly scores?: readonly { readonly name: string }[];
  readonly response: string;
  readonly value?: CellValue;
  readonly error_meaning?: string;
}

interface Ruling {
  readonly why: string;
  /** What we make of the answer; undefined where it is refused. */
  readonly value?: CellValue;
}

const ONE_JSON = 'there is one JSON value in the answer, and asking again would buy the same once more';
const NONE_IS_NULL = 'a repaired None is null, as whoever writes it means';

/** Rows that are not held to, each of them lenient, with its ruling. */
const RULINGS: Readonly<Record<string, Ruling>> = {
  'pp-017': { why: 'thinking is left aside, with the fences in it', value: 'yes = 1' },
  'pp-018': { why: 'a fence may open behind a tag in its line', value: 'x = 3' },
  'pp-042': { why: ONE_JSON, value: { title: 'bare' } },
  'pp-043': { why: ONE_JSON, value: { title: 'unlabelled' } },
  'pp-044': { why: 'a label means the same in any case', value: { title: 'upper' } },
  'pp-045': { why: ONE_JSON, value: { title: 'js' } },
  'pp-056': { why: NONE_IS_NULL, value: { title: 'py', n: null, t: true } },
  'pp-057': { why: NONE_IS_NULL, value: { t: true, f: false, n: null, x: 1 } },
  'pp-121': { why: 'true is no number; the row itself says that it was meant to be refused' },
  'pp-139': { why: ONE_JSON, value: { Glow: { reasoning: 'Because.', score: '1' } } },
};

/** What the model is told of each meaning. */
const REASONS: Readonly<Record<string, RegExp>> = {
  'no code block': /no code block/,
  'code block in another language': /labelled '.+', but \S+ was asked for/,
  'no ```json block': /no ```json block/,
  'does not match the schema': /^Response doesn't match requested <response_schema>\n/,
};

/** What a column makes of a model's answer, trimmed as the conversation gives it. */
async function parse({ kind, lang, schema, scores, response }: ParsingRow): Promise<CellValue | undefined> {
  const type = columnTypes.find((one) => one.type === `llm-${kind}`);
  if (!type || !('cell' in type)) throw new Error(`no column of kind ${kind}`);
  const more = { codeLang: lang, outputFormat: schema, scores: scores?.map((score) => ({ ...score })) };
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  const fields = { name: 'a', columnType: type.type, prompt: 'Go.', modelAlias: 'm', ...Object.fromEntries(given) };
  const make = type.cell as (config: ColumnConfig, setting: object) => (cell: Cell) => Promise<WrittenValues>;
  const cell = {
    row: {},
    ask: (question: Question<CellValue>) => Promise.resolve({ value: question.parse(response.trim()), messages: [] }),
  };
  const config = type.schema.parse(fields) as ColumnConfig;
  const [value] = await make(config, { templates: 'secure', constraints: [] })(cell as unknown as Cell);
  return value;
}

const rows = readRows<ParsingRow & { readonly lenient?: boolean }>('parsing.jsonl');
const ruled = rows.filter(({ id }) => RULINGS[id] !== undefined);
const held = rows.filter(({ id }) => RULINGS[id] === undefined);

test('every ruling is on a row that is lenient, and different from what the row says', () => {
  expect(ruled.map(({ id }) => id)).toEqual(Object.keys(RULINGS));
  expect(ruled.filter(({ lenient }) => lenient !== true)).toEqual([]);
});

describe('as observed', () => {
  test.each(held.filter(({ error_meaning: error }) => error === undefined))('$id: $area, $kind', async (row) => {
    expect(await parse(row)).toEqual(row.value);
  });

  test.each(held.filter(({ error_meaning: error }) => error !== undefined))(
    '$id: $area, $kind, is refused: $error_meaning',
    async (row) => {
      const failure: unknown = await parse(row).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(ParseFailure);
      expect((failure as ParseFailure).message).toMatch(REASONS[row.error_meaning ?? ''] as RegExp);
    },
  );
});

describe('by our ruling', () => {
  const rulings = ruled.map((row) => ({ row, id: row.id, ...RULINGS[row.id] }));

  test.each(rulings.filter(({ value }) => value !== undefined))('$id: $why', async ({ row, value }) => {
    expect(await parse(row)).toEqual(value);
  });

  test.each(rulings.filter(({ value }) => value === undefined))('$id is refused: $why', async ({ row }) => {
    await expect(parse(row)).rejects.toThrow(ParseFailure);
  });
});
