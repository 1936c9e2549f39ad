import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Call,
  type CallOutcome,
  type Gateway,
  ParseFailure,
  type PlannedModel,
  Random,
} from '@data-designer/core';
import { MCPRegistry } from '@data-designer/mcp';
import { ModelRegistry } from '@data-designer/models';
import { RowCell } from './row-cell.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUg==';
const PICTURE = { mediaType: 'image/png', base64: PNG };

function planned(alias: string): PlannedModel {
  const fixed = {
    generationType: 'chat-completion',
    protocol: 'openai',
    structuredOutput: null,
    pricing: null,
  } as const;
  return { ...fixed, alias, resource: `model/p/${alias}`, model: alias, parameters: {}, drawn: {}, timeoutMs: 1000 };
}

/** Answers by model: a status or a text. */
function open(answers: Readonly<Record<string, number | string>>, folder?: string) {
  const asked: string[] = [];
  const gateway: Gateway = {
    admit: () => Promise.resolve(),
    call: ({ resource, call }: Call) => {
      const alias = resource.replace('model/p/', '');
      asked.push(`${alias} ${call}`);
      return Promise.resolve(outcomeOf(answers[alias] ?? 500));
    },
    listTools: () => Promise.resolve([]),
    cancel: () => {},
  };
  const budgets = { maxCorrectionSteps: 0, maxConversationRestarts: 1 };
  const models = new ModelRegistry({ first: planned('first'), second: planned('second') }, gateway, budgets);
  const parts = {
    models,
    tools: new MCPRegistry({}, gateway),
    context: { gateway, signal: new AbortController().signal, folder },
  };
  const makeCell = () => new RowCell({ row: {}, rowIndex: 4, column: 'a', random: Random.of(1, 'a') }, parts);
  return { makeCell, asked, models };
}

function outcomeOf(answer: number | string): CallOutcome {
  const status = typeof answer === 'number' ? answer : 200;
  const body = typeof answer === 'number' ? '{}' : JSON.stringify({ choices: [{ message: { content: answer } }] });
  return { status, headers: { 'content-type': 'application/json' }, body };
}

const question = {
  modelAlias: 'first',
  fallbackModelAlias: 'second',
  prompt: () => 'Go',
  parse: (text: string) => {
    if (text !== 'ok') throw new ParseFailure('no');
    return text;
  },
};

test('without a usable answer from the first model the cell calls the fallback, with consecutive call numbers', async () => {
  const { makeCell, asked, models } = open({ first: 'nonsense', second: 'ok' });
  expect((await makeCell().ask(question)).value).toBe('ok');
  expect(asked).toEqual(['first 0', 'first 1', 'second 2']);
  expect(models.usage()).toMatchObject({ first: { requests: 2 }, second: { requests: 1 } });
});

test('after a usable answer the cell calls no fallback', async () => {
  const { makeCell, asked } = open({ first: 'ok', second: 'ok' });
  await makeCell().ask(question);
  expect(asked).toEqual(['first 0']);
});

test('if both models fail, the cell reports the failure of the fallback', async () => {
  const { makeCell } = open({ first: 'nonsense', second: 400 });
  await expect(makeCell().ask(question)).rejects.toMatchObject({ code: 'model/rejected', data: { model: 'second' } });
});

test.each([
  [500, 'model/server-error'],
  [401, 'model/unauthorized'],
  [404, 'model/not-found'],
])('an endpoint that fails with %i fails the cell, and no other model is asked', async (status, code) => {
  const { makeCell, asked } = open({ first: status, second: 'ok' });
  await expect(makeCell().ask(question)).rejects.toMatchObject({ code });
  expect(asked).toHaveLength(1);
});

test('a preview keeps an image as Base64 text and has no files to read', async () => {
  const cell = open({}).makeCell();
  expect(await cell.keepPicture(PICTURE)).toBe(PNG);
  expect(await cell.readMedia('images/a/b.png')).toBeUndefined();
});

test('images are stored next to the dataset under separate names, the same on a replay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'row-cell-'));
  const { makeCell } = open({}, folder);
  const keepTwo = async () => {
    const cell = makeCell();
    return Promise.all([cell.keepPicture(PICTURE), cell.keepPicture(PICTURE)]);
  };
  const paths = await keepTwo();
  expect(new Set(paths).size).toBe(2);
  expect(await keepTwo()).toEqual(paths);
  const [path] = paths;
  expect(await readFile(join(folder, path), 'base64')).toBe(PNG);
  expect(await makeCell().readMedia(path)).toBe(PNG);
  await rm(folder, { recursive: true });
});

test('the calls and draws of an attempt begin at a number of its own, and all carry its seed', async () => {
  const asked: unknown[] = [];
  const gateway: Gateway = {
    admit: () => Promise.resolve(),
    call: ({ row, call, resource, body }: Call) => {
      const { seed } = JSON.parse(body) as { seed?: number };
      asked.push([resource, row, call, ...(seed === undefined ? [] : [seed])]);
      return Promise.resolve(outcomeOf('ok'));
    },
    listTools: () => Promise.resolve([]),
    cancel: () => {},
  };
  const budgets = { maxCorrectionSteps: 0, maxConversationRestarts: 0 };
  const models = new ModelRegistry({ first: planned('first') }, gateway, budgets);
  const context = { gateway, signal: new AbortController().signal };
  const services = { models, tools: new MCPRegistry({}, gateway), context };
  const address = { row: {}, rowIndex: 4, column: 'a', random: Random.of(1, 'a') };
  const cellOf = (number?: number) => {
    const attempt = number === undefined ? undefined : { number, seed: 90 + number };
    return new RowCell({ ...address, attempt }, services);
  };
  const ask = { modelAlias: 'first', prompt: () => 'Go', parse: (text: string) => text };
  const batch = { batch: 7, body: '{}', timeoutMs: 1 };
  for (const number of [undefined, 0, 2]) {
    const cell = cellOf(number);
    expect(cell.lastCall).toBeUndefined();
    await cell.ask(ask);
    await cell.validate(batch);
    await cell.branch().ask(ask);
  }
  const [model, server] = ['model/p/first', 'server/a'];
  expect(asked).toEqual([
    [model, 4, 0],
    [server, -8, 0],
    [model, 4, 4096],
    [model, 4, 0, 90],
    [server, 4, 1],
    [model, 4, 4096, 90],
    [model, 4, 2_097_152, 92],
    [server, 4, 2_097_153],
    [model, 4, 2_101_248, 92],
  ]);
  expect(cellOf(2).random.float()).toBe(Random.of(1, 'a').at(4, 2_097_152).float());
  expect(cellOf(0).random.float()).toBe(cellOf().random.float());
});
