import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DataDesignerError } from '@data-designer/core';
import type { Declaration } from '@data-designer/declaration';
import type { ComposedWorkflow } from './composed-workflow.ts';
import { addStages, readFlow } from './flow-file.ts';

const SOURCE = '/flows/talks.yaml';
const flowOf = (stages: readonly object[], more: object = {}, origin?: Declaration['origin']): Declaration => ({
  document: { stages, ...more },
  source: origin === 'address' ? 'https://a.example/flows/talks.yaml' : SOURCE,
  ...(origin && { origin }),
});

/** Reads a flow whose configs are found except for those named `gone`; also which were read. */
async function reading(declaration: Declaration) {
  const read: string[] = [];
  const flow = await readFlow(declaration, async (path) => {
    read.push(path);
    if (path.includes('gone')) throw new DataDesignerError('config/unreadable', { path, reason: 'it is not there' });
    return { document: { columns: [] }, source: path };
  });
  return { flow, read };
}

test('a flow has the configs and options of its stages, and the name of its file', async () => {
  const own = { columns: [{ name: 'a' }] };
  const { flow, read } = await reading(
    flowOf([
      { name: 'one', config: own, rows: 3 },
      { name: 'two', config: 'two.yaml', from: 'one', expand: 'tags' },
      { name: 'three' },
    ]),
  );
  expect(flow).toEqual({
    name: 'talks',
    stages: [
      { name: 'one', declared: { document: own, source: `Stage 'one' of ${SOURCE}` }, options: { rows: 3 } },
      {
        name: 'two',
        declared: { document: { columns: [] }, source: resolve('/flows/two.yaml') },
        options: { from: 'one', expand: 'tags' },
      },
      { name: 'three', declared: { document: { columns: [] }, source: `Stage 'three' of ${SOURCE}` }, options: {} },
    ],
  });
  expect(read).toEqual([resolve('/flows/two.yaml')]);
  expect((await reading(flowOf([{ name: 'one' }], { name: 'own' }))).flow.name).toBe('own');
});

test('the configs of a flow from an address are at addresses, and are as untrusted as it is', async () => {
  const stages = [
    { name: 'one', config: 'one.yaml' },
    { name: 'two', config: 'https://b.example/two.yaml' },
    { name: 'x' },
  ];
  const { flow, read } = await reading(flowOf(stages, {}, 'address'));
  expect(read).toEqual(['https://a.example/flows/one.yaml', 'https://b.example/two.yaml']);
  expect(flow.stages[2]?.declared.origin).toBe('address');
  const local = flowOf([{ name: 'one', config: 'file:///etc/passwd' }], {}, 'address');
  await expect(reading(local)).rejects.toMatchObject({ code: 'config/unreadable' });
});

const stage = (name: string) => ({ name, config: `${name}.yaml` });

test('all configs that cannot be read are told at once', async () => {
  await expect(reading(flowOf([stage('gone'), stage('two')]))).rejects.toMatchObject({ code: 'config/unreadable' });
  const both = reading(flowOf([stage('gone'), stage('two'), stage('gone-too')]));
  await expect(both).rejects.toMatchObject({
    code: 'config/invalid',
    data: {
      source: SOURCE,
      violations: [
        { stage: 'load', level: 'ERROR', message: expect.stringContaining('gone.yaml') as string },
        { message: expect.stringContaining('gone-too.yaml') as string },
      ],
    },
  });
  const other = readFlow(flowOf([stage('two')]), () => Promise.reject(new Error('a fault')));
  await expect(other).rejects.toThrow('a fault');
});

test('the rows of a command are those of the stages without input', async () => {
  const stages = [
    { name: 'one' },
    { name: 'two' },
    { name: 'three', from: [] },
    { name: 'four', from: 'one', rows: 2 },
  ];
  const { flow } = await reading(flowOf(stages));
  const added: unknown[] = [];
  const workflow = { addStage: (name: string, _: unknown, options: object) => added.push([name, options]) };
  addStages(workflow as unknown as ComposedWorkflow, flow, 9);
  expect(added).toEqual([
    ['one', { rows: 9 }],
    ['two', {}],
    ['three', { from: [], rows: 9 }],
    ['four', { from: 'one', rows: 2 }],
  ]);
  added.length = 0;
  addStages(workflow as unknown as ComposedWorkflow, flow);
  expect(added[0]).toEqual(['one', {}]);
});
