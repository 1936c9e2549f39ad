import { Float, type Plan } from '@data-designer/core';
import { expect, test } from 'vitest';
import type { WorkflowParts } from './check-workflow.ts';
import { readFlowRecord, successorOf } from './flow-record.ts';
import { orderStages } from './order-stages.ts';
import type { DeclaredStage, WorkflowRunOptions } from './stage.ts';

const HOME = { models: [{ alias: 'a' }], toolConfigs: [], providers: { models: [{ apiKey: 'sk-secret' }], tools: [] } };
const PRICING = { input: 1, output: 2, cachedInput: null, image: null };
const PLAN = {
  models: { a: { resource: 'model/own/m', model: 'm', pricing: PRICING } },
  resources: [{ id: 'model/own/m', provider: 'own' }],
} as unknown as Plan;

function successor(stages: readonly DeclaredStage[], options: WorkflowRunOptions = {}) {
  const maker = { home: HOME, settings: () => ({ seed: 3 }) } as unknown as WorkflowParts['maker'];
  return successorOf({ name: 'flow', stages: orderStages('flow', stages), maker }, options, [PLAN]);
}

function stage(document: unknown, options: DeclaredStage['options'] = {}): DeclaredStage {
  return { name: 'one', config: { document, source: 'one.yaml' }, options };
}

test('a successor reads the stages with exact numbers, the options, the settings and the prices, but no keys', () => {
  const document = { columns: [{ low: new Float(1), high: 2n ** 60n, values: ['x', null, 0.5] }] };
  const told = successor([stage(document, { rows: 3 })], { resume: 'never', numRecords: 7, rerunFrom: 'one' });
  const flow = 'flow' in told ? told.flow : '';
  expect(flow).not.toContain('sk-secret');
  expect(readFlowRecord(flow)).toEqual({
    name: 'flow',
    stages: [{ name: 'one', config: { document, source: 'one.yaml', folder: process.cwd() }, options: { rows: 3 } }],
    options: { resume: 'always', numRecords: 7, rerunFrom: 'one' },
    runConfig: { seed: 3 },
    home: { models: [{ alias: 'a' }], toolConfigs: [] },
    prices: { 'own/m': PRICING },
  });
});

test('a successor makes changed stages again if the first coordinator would have', () => {
  const told = successor([stage({ columns: [] })], { resume: 'if_possible' });
  expect(readFlowRecord('flow' in told ? told.flow : '').options.resume).toBe('if_possible');
});

test.each([
  ['config is a function', { name: 'one', config: () => ({ document: {}, source: 'one' }), options: {} }],
  ['map is a function', stage({ columns: [] }, { map: (rows) => rows })],
  ['config contains functions', stage({ columns: [{ function: () => 1 }] })],
  ['config contains functions', stage({ columns: [{ schema: new Map() }] })],
])('no other machine can continue a stage whose %s', (reason, declared) => {
  expect(successor([declared])).toEqual({ reason: expect.stringContaining(reason) });
});
