import { expect, test } from 'vitest';
import { bindConfigBuilder, type ColumnSetOf, readForm, type RegisteredColumn } from '@data-designer/config';
import { columnTypes } from './column-types.ts';

const Builder = bindConfigBuilder<ColumnSetOf<typeof columnTypes>>(columnTypes);

function example(more: object) {
  const models = ['writer', 'spare'].map((alias) => ({ alias, model: 'm', provider: 'vllm' }));
  const topic = { name: 'topic', columnType: 'expression', expr: '{{ 1 }}', onFailure: 'abort' } as const;
  const verse = { name: 'verse', columnType: 'llm-text', modelAlias: 'writer', prompt: 'On {{ topic }}' } as const;
  return new Builder({ modelConfigs: models }).addColumn(topic).addColumn({ ...verse, ...more });
}

test('on_failure and fallback_model_alias are written only if set', () => {
  const yaml = example({ onFailure: 'null', fallbackModelAlias: 'spare' }).toYaml();
  expect(yaml).toMatch(/on_failure: abort[^]*fallback_model_alias: spare[^]*on_failure: 'null'/);
  expect(example({}).toYaml()).not.toMatch(/fallback_model_alias/);
});

test('writing for the Python tool rejects fields it does not know', () => {
  expect(() => example({ fallbackModelAlias: 'spare' }).toYaml({ for: 'python' })).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /columns\[0\]\.on_failure: .*'on_failure'[^]*columns\[1\]\.fallback_model_alias: .*'fallback_model_alias'/,
      ) as string,
    }),
  );
});

test.each([
  ['sampler', { samplerType: 'category', params: { values: [1] } }],
  ['seed-dataset', {}],
])('a column of type %s refuses on_failure', (columnType, more) => {
  const { schema } = columnTypes.find((one) => one.type === columnType) as RegisteredColumn;
  const fields = { name: 'a', columnType, ...more };
  expect(schema.safeParse(readForm(schema, fields)).success).toBe(true);
  expect(schema.safeParse(readForm(schema, { ...fields, onFailure: 'null' })).success).toBe(false);
});

test.each(
  columnTypes
    .filter(({ type }) => type !== 'sampler' && type !== 'seed-dataset')
    .map(({ type, schema }) => ({ type, schema })),
)('a column of type $type validates on_failure', ({ schema }) => {
  const issues = schema.safeParse({ name: 'a', onFailure: 'retry' }).error?.issues ?? [];
  expect(issues.map(({ path }) => path)).toContainEqual(['onFailure']);
});
