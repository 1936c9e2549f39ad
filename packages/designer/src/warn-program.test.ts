import { once } from 'node:events';
import { DataDesigner } from './data-designer.ts';
import { expect, test } from 'vitest';
import { testFolder } from '@data-designer/testing/test-folder';

const artifactPath = testFolder('warn-program');
const TOPIC = { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['a', 'b'] } };
const LOUD = {
  name: 'loud',
  column_type: 'expression',
  expr: "{{ 1 // (topic | length - 1 if topic == 'a' else 1) }}",
};

/** What Node warns of while something runs. */
async function warningsOf(work: () => PromiseLike<unknown>): Promise<readonly string[]> {
  const found: string[] = [];
  const note = (warning: Error & { readonly code?: string }) =>
    warning.name === 'DataDesignerWarning' && found.push(`${warning.code}: ${warning.message}`);
  process.on('warning', note);
  try {
    await work();
    // Node warns in the next turn.
    process.emitWarning('last', 'LastWarning');
    await once(process, 'warning');
  } finally {
    process.off('warning', note);
  }
  return found;
}

test('a program without listeners is warned of mistakes and of lost rows, and one with listeners is not', async () => {
  await using designer = new DataDesigner({ artifactPath, runConfig: { seed: 3 } });
  const prompt = { name: 'text', column_type: 'expression', expr: 'about ${topic} {{ topic.name }}' };
  const declared = { document: { columns: [TOPIC, prompt, LOUD] }, source: 'test' };
  const warned = await warningsOf(() => designer.create(declared, { numRecords: 8, datasetName: 'plain' }));
  expect(warned.filter((one) => one.startsWith('missing_member: '))).toHaveLength(1);
  expect(warned.at(-1)).toMatch(/^\S+: \d rows? (?:is|are) missing: lost in column 'loud': /);
  const again = await warningsOf(() => designer.preview(declared, { numRecords: 8 }));
  expect(again.map((one) => one.split(':')[0])).toEqual([warned.at(-1)?.split(':')[0]]);
  await using told = new DataDesigner({ artifactPath, runConfig: { seed: 3 }, onWarning: () => {} });
  const options = { numRecords: 8, datasetName: 'told', onEvent: () => {} };
  expect(await warningsOf(() => told.create(declared, options))).toEqual([]);
});
