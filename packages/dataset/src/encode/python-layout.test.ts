import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ArrowField, type ArrowType, type CellValue, field, Float, TRACE_MESSAGE } from '@data-designer/core';
import { commit } from '../files/commit-file.ts';
import { pageDecompressors } from '../formats/parquet/parquet-codec.ts';
import { readBatch } from '../read-dataset.ts';
import { stageBatch } from '../write.ts';
import { inPythonLayout } from './python-layout.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'python-layout-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const anything = field('any', 'utf8', { json: true });
const batchOf = (own: ArrowField, values: readonly CellValue[]) => ({
  fields: [own],
  columns: new Map([[own.name, values]]),
  rows: values.length,
});
const typeOf = (...values: readonly CellValue[]) => inPythonLayout(batchOf(anything, values)).fields[0];

test.each<[string, readonly CellValue[], ArrowType]>([
  ['integers', [1, null, 2n ** 60n], 'int64'],
  ['integers and floats', [1, new Float(2), 0.5], 'float64'],
  ['text', ['a', null], 'utf8'],
  ['nothing', [null, null], 'null'],
  ['lists of nothing', [[], null], { list: 'null' }],
  ['lists', [[1], [0.5], []], { list: 'float64' }],
  ['objects', [{ a: 1 }, { b: ['x'], a: null }], { struct: [field('a', 'int64'), field('b', { list: 'utf8' })] }],
  ['objects of nothing', [{ a: null }], { struct: [field('a', 'null')] }],
])('%s get the type of the values in the batch', (...[, values, type]) => {
  expect(typeOf(...values)).toEqual(field('any', type));
});

test.each<[string, readonly CellValue[]]>([
  ['numbers and text', [1, 'one']],
  ['objects that disagree', [{ a: 1 }, { a: 'one' }]],
  ['objects without members', [{}]],
  ['integers beyond 64 bits', [2n ** 64n]],
  ['integers that a float would round, and floats', [2n ** 53n + 1n, 0.5]],
])('%s stay JSON text, which the Python tool cannot write', (...[, values]) => {
  expect(typeOf(...values)).toEqual(anything);
});

test('only the free-form member of a struct changes', () => {
  const own = field('card', { struct: [field('id', 'int64'), anything] });
  const { fields } = inPythonLayout(batchOf(own, [{ id: 1, any: { x: 1.5 } }, null]));
  expect(fields).toEqual([
    field('card', { struct: [field('id', 'int64'), field('any', { struct: [field('x', 'float64')] })] }),
  ]);
});

const nothing = { reasoning_content: null, tool_calls: null, tool_call_id: null, content_parts: null };
const unknown = { model: null, usage: null, finish_reason: null, extra: null };
const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } };

test('traces have the content of the Python tool in the file, and are read as those of this project', async () => {
  const trace = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call], model: 'm' },
    { role: 'tool', content: null, tool_call_id: 'c1', content_parts: [{ type: 'image', url: 'data:x', text: null }] },
  ];
  const own = field('a__trace', { list: TRACE_MESSAGE });
  const path = join(folder, 'batch_00000.parquet');
  const batch = batchOf(own, [trace, null]);
  await commit(await stageBatch(batch, { path, temporary: `${path}.tmp` }, { format: 'parquet', layout: 'python' }));
  const file = await asyncBufferFromFile(path);
  const [stored] = await parquetReadObjects({ file, compressors: pageDecompressors });
  expect(stored).toEqual({
    a__trace: [
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: [{ type: 'text', text: '' }],
        reasoning_content: 'Hm.',
        tool_calls: [call],
      },
      { role: 'tool', content: [{ type: 'image', text: 'data:x' }], tool_call_id: 'c1' },
    ].map((message) => ({ reasoning_content: null, tool_call_id: null, ...message })),
  });
  expect(await Array.fromAsync(readBatch(path))).toEqual([
    {
      a__trace: [
        { ...nothing, ...unknown, role: 'user', content: 'Hello' },
        { ...nothing, ...unknown, role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call] },
        {
          ...nothing,
          ...unknown,
          role: 'tool',
          content: null,
          tool_call_id: 'c1',
          content_parts: [{ type: 'image', text: null, media_type: null, url: 'data:x' }],
        },
      ],
    },
    { a__trace: null },
  ]);
});
