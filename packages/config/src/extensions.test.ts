import { expect, test } from 'vitest';
import { extensionsIn } from './extensions.ts';

test('extensionsIn reports each of our own column keys with its name and path', () => {
  const columns = [
    { name: 'a', on_failure: 'null' },
    { name: 'b' },
    { name: 'c', fallback_model_alias: 'spare', on_failure: 'abort' },
    { name: 'd', validator_type: 'trajectory' },
    { name: 'e', validator_type: 'code' },
    { name: 'f', column_type: 'conversation' },
    { name: 'g', column_type: 'llm-text', history: 'f' },
    { name: 'h', column_type: 'llm-structured', output_format: '{{ g }}' },
    { name: 'i', column_type: 'llm-structured', output_format: {} },
  ];
  const told = extensionsIn({ columns }).map(({ extension, path }) => [extension.name, path.join('.')]);
  expect(told).toEqual([
    ["the key 'on_failure'", 'columns.0.on_failure'],
    ["the key 'on_failure'", 'columns.2.on_failure'],
    ["the key 'fallback_model_alias'", 'columns.2.fallback_model_alias'],
    ["the validator 'trajectory'", 'columns.3.validator_type'],
    ["the column type 'conversation'", 'columns.5.column_type'],
    ["the key 'history'", 'columns.6.history'],
    ["a template as 'output_format'", 'columns.7.output_format'],
  ]);
});

test('a key of model configs counts only there, and a key of columns only in columns', () => {
  const models = [{ alias: 'm', pricing: { input: 1, output: 2 }, structured_output: true, on_failure: 'null' }];
  expect(
    extensionsIn({ columns: [{ name: 'a', pricing: 1 }], model_configs: models }).map(({ path }) => path.join('.')),
  ).toEqual(['model_configs.0.structured_output', 'model_configs.0.pricing']);
});

test('a key of tool configs counts only in tool configs', () => {
  const tools = [
    { tool_alias: 't' },
    { tool_alias: 'u', max_result_chars: 10, structured: 'append', single_machine: true, pricing: 1 },
  ];
  expect(extensionsIn({ columns: [], tool_configs: tools }).map(({ path }) => path.join('.'))).toEqual([
    'tool_configs.1.max_result_chars',
    'tool_configs.1.structured',
    'tool_configs.1.single_machine',
  ]);
});

test('a key of processors counts only there', () => {
  const processors = [{ name: 'p', keep_types: false }, { name: 'q' }];
  const told = extensionsIn({ columns: [{ name: 'a', keep_types: true }], processors });
  expect(told.map(({ path }) => path.join('.'))).toEqual(['processors.0.keep_types']);
});

test('a key of the Python tool is not an extension', () => {
  const score = { name: 's', options: { '1': 'low' } };
  expect(extensionsIn({ columns: [{ name: 'a', prompt: 'On {{ b }}', scores: [score], skip: null }] })).toEqual([]);
});

test('the options of a table are no keys of the Python tool, and the encoding of a folder is one', () => {
  const source = {
    seed_type: 'local',
    path: 'a.csv',
    delimiter: ';',
    header: true,
    encoding: 'cp1252',
    max_row_bytes: 9,
  };
  const told = extensionsIn({ columns: [], seed_config: { source: { ...source, types: { a: 'text' } } } });
  expect(told.map(({ path }) => path.at(-1))).toEqual(['delimiter', 'header', 'types', 'max_row_bytes', 'encoding']);
  const folder = { seed_type: 'file_contents', path: 'a', encoding: 'cp1252' };
  expect(extensionsIn({ columns: [], seed_config: { source: folder } })).toEqual([]);
});
