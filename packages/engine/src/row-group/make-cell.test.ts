import { expect, test } from 'vitest';
import {
  type Call,
  DataDesignerError,
  type Gateway,
  ParseFailure,
  type PlannedModel,
  Random,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { ModelRegistry } from '@data-designer/models';
import { makeCell } from './make-cell.ts';
import { RowCell } from './row-cell.ts';

const MODEL: PlannedModel = {
  alias: 'writer',
  resource: 'model/p/m',
  model: 'm',
  generationType: 'chat-completion',
  protocol: 'openai',
  structuredOutput: null,
  pricing: null,
  parameters: {},
  drawn: {},
  timeoutMs: 1000,
};

/** A cell of row 4 whose calls get the given texts or error statuses in turn; an earlier run journaled the first `kept`. */
function cellOf(answers: readonly (string | number)[], kept: number) {
  const asked: number[] = [];
  const gateway: Gateway = {
    admit: () => Promise.resolve(),
    call: ({ call }: Call) => {
      asked.push(call);
      const answer = answers[call] ?? 'nonsense';
      const status = typeof answer === 'number' ? answer : 200;
      const body = JSON.stringify({ choices: [{ message: { content: String(answer) } }] });
      return Promise.resolve({ status, headers: { 'content-type': 'application/json' }, body });
    },
    listTools: () => Promise.resolve([]),
    cancel: () => {},
  };
  const budgets = { maxCorrectionSteps: 0, maxConversationRestarts: 1 };
  const models = new ModelRegistry({ writer: MODEL }, gateway, budgets);
  const parts = {
    models,
    tools: new MCPRegistry({}, gateway),
    context: { gateway, signal: new AbortController().signal },
  };
  const place = { row: {}, rowIndex: 4, column: 'a', random: Random.of(1, 'a') };
  const keys = Array.from({ length: kept }, (_, call) => `4/${call}/a`);
  const open = (firstCall: number) => new RowCell({ ...place, firstCall }, parts);
  return { open, journaledCalls: new Set(keys), asked, models };
}

const parse = (text: string) => {
  if (text !== 'ok') throw new ParseFailure('no');
  return text;
};

async function ask(cell: RowCell): Promise<string[]> {
  return [(await cell.ask({ modelAlias: 'writer', prompt: () => 'Go', parse })).value];
}

test('a cell whose journaled conversation failed starts a new conversation after it', async () => {
  const { open, journaledCalls, asked, models } = cellOf(['no', 'no', 'ok'], 2);
  expect(await makeCell(ask, open, journaledCalls)).toEqual(['ok']);
  expect(asked).toEqual([0, 1, 2]);
  expect(models.usage().writer).toMatchObject({ requests: 3 });
});

test('a cell finds the conversation that an earlier resume added after the first one', async () => {
  const { open, journaledCalls, asked } = cellOf(['no', 'no', 'no', 'no', 'ok'], 5);
  expect(await makeCell(ask, open, journaledCalls)).toEqual(['ok']);
  expect(asked).toEqual([0, 1, 2, 3, 4]);
});

test('an interrupted conversation continues, and fails for good in this run', async () => {
  const { open, journaledCalls, asked } = cellOf(['no', 'no'], 1);
  await expect(makeCell(ask, open, journaledCalls)).rejects.toMatchObject({ code: 'model/gave-up' });
  expect(asked).toEqual([0, 1]);
});

test('a cell that fails again with new answers fails for good', async () => {
  const { open, journaledCalls, asked } = cellOf([], 2);
  await expect(makeCell(ask, open, journaledCalls)).rejects.toMatchObject({ code: 'model/gave-up' });
  expect(asked).toEqual([0, 1, 2, 3]);
});

test('a refusal does not count as a journaled answer', async () => {
  const { open, journaledCalls, asked } = cellOf(['no', 400], 1);
  await expect(makeCell(ask, open, journaledCalls)).rejects.toMatchObject({ code: 'model/rejected' });
  expect(asked).toEqual([0, 1]);
});

test('a cell that fails without a request fails at once', async () => {
  const { open, journaledCalls } = cellOf([], 2);
  let made = 0;
  const make = () => {
    made++;
    throw new DataDesignerError('template/record', { reason: 'x' });
  };
  await expect(makeCell(make, open, journaledCalls)).rejects.toMatchObject({ code: 'template/record' });
  expect(made).toBe(1);
});

async function askOver(cell: RowCell): Promise<never> {
  await ask(cell);
  throw new DataDesignerError('run/over', { reason: 'x' });
}

test('run/over ends the cell, even after a journaled answer', async () => {
  const { open, journaledCalls, asked } = cellOf(['ok'], 1);
  await expect(makeCell(askOver, open, journaledCalls)).rejects.toMatchObject({ code: 'run/over' });
  expect(asked).toEqual([0]);
});
