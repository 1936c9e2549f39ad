import { afterAll, expect, test } from 'vitest';
import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry } from '@data-designer/config';
import { testFolder } from '@data-designer/testing/test-folder';
import { planOf } from '../../../../engine/test/plan-of.ts';
import { runOptions, storeRows } from '../../../../engine/test/store-rows.ts';
import { ShownDatasets } from '../shown-datasets.ts';
import { modelAnswers } from './model-answers.ts';

const folder = testFolder('model-answers');
const shown = new ShownDatasets({ folders: [folder], registry: new ColumnRegistry(columnTypes), version: '1' });
afterAll(() => shown[Symbol.asyncDispose]());

test('a stored conversation is shown, also of one message, and without one the prompt is rendered again', async () => {
  const document = {
    model_configs: [{ alias: 'writer', model: 'm', provider: 'own' }],
    columns: [{ name: 'text', column_type: 'llm-text', model_alias: 'writer', prompt: 'Write.' }],
  };
  const provider = { name: 'own', endpoint: 'http://127.0.0.1:1', providerType: 'openai' };
  const plan = planOf(document, {
    numRecords: 1,
    modelProviders: [{ ...provider, extraBody: null, extraHeaders: null } as never],
  });
  await storeRows(plan, runOptions({ artifactPath: folder, datasetName: 'asked' }), { rows: [{ text: 'hi' }] });
  await shown.list();
  const context = { priceOf: () => null, mediaOf: () => undefined };
  const answerOf = async (trace: readonly object[] | undefined) => {
    const row = { text: 'hi', ...(trace && { text__trace: trace }) } as never;
    const asked = { row, planRow: 0, group: 0, contextOf: () => context };
    const [answer] = await modelAnswers(shown.of('asked'), asked);
    return answer;
  };
  const [prompt, said] = [
    { role: 'user', content: 'Write.' },
    { role: 'assistant', content: 'hi' },
  ];
  expect(await answerOf([said])).toMatchObject({
    column: 'text',
    model: 'm',
    raw: { source: 'trace', text: { text: 'hi' } },
    conversation: { column: 'text__trace', total: 1, from: 0, messages: [{ role: 'assistant' }] },
  });
  expect(await answerOf([prompt, said])).toMatchObject({
    prompt: { source: 'trace', text: { text: 'Write.' } },
    conversation: { total: 2 },
  });
  for (const none of [[], undefined]) {
    expect(await answerOf(none)).toMatchObject({
      prompt: { source: 'rendered', text: { text: 'Write.' } },
      raw: { source: 'not-stored', text: null },
      conversation: null,
    });
  }
});
