import { expect, test } from 'vitest';
import { field } from '@data-designer/core';
import { readForm, writeForm } from '@data-designer/config';
import { llmCode } from './llm-code.ts';

const document = { name: 'query', column_type: 'llm-code', prompt: 'Ask for {{ a }}', model_alias: 'm' };

function parse(more: object) {
  return llmCode.schema.safeParse(readForm(llmCode.schema, { ...document, ...more }));
}

test('declares its templates, its text and the requested trace', () => {
  const config = llmCode.schema.parse(
    readForm(llmCode.schema, { ...document, code_lang: 'rust', with_trace: 'last_message' }),
  );
  expect(llmCode.templates?.(config)).toMatchObject([{ source: 'Ask for {{ a }}', role: 'prompt' }]);
  expect(llmCode.writes(config).map(({ name }) => name)).toEqual(['query', 'query__trace']);
  expect(llmCode.writes(config)[0]).toEqual(field('query', 'utf8'));
});

test.each(['cobol', 'python', 'sql:ansi', 'sql:tsql'])('accepts the language %s', (code_lang) => {
  expect(parse({ code_lang }).success).toBe(true);
});

test.each([['perl'], ['sql'], ['Python'], [undefined]])('refuses the language %s', (code_lang) => {
  expect(parse({ code_lang }).error?.issues.map(({ path }) => path)).toEqual([['codeLang']]);
});

test('writes every field in the order of the Python tool', () => {
  const config = llmCode.schema.parse(readForm(llmCode.schema, { ...document, code_lang: 'go' }));
  expect(Object.keys(writeForm(llmCode.schema, config) as object).slice(5)).toEqual([
    'prompt',
    'model_alias',
    'system_prompt',
    'multi_modal_context',
    'tool_alias',
    'with_trace',
    'extract_reasoning_content',
    'code_lang',
  ]);
});
