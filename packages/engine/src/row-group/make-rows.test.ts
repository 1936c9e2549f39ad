import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { customColumn } from '@data-designer/columns';
import {
  type CellValue,
  DataDesignerError,
  field,
  type Gateway,
  OPEN_ROWS,
  type OutcomeJournal,
  type Plan,
  type Row,
  LostRowCount,
} from '@data-designer/core';
import { completion, reply } from '@data-designer/testing/answering-server';
import { AnsweringModels, paint, refuse, say } from '../../../gateway/test/answering-models.ts';
import {
  entriesOf,
  type GroupOptions,
  openFunctions,
  openGroup,
  type OpenGroup,
  openReplay,
} from '../../../gateway/test/open-group.ts';
import { expression, planOf, registry, sampled } from '../../test/plan-of.ts';
import { until } from '@data-designer/testing/until';
import { mostOpenRows } from '../../../gateway/src/admission/last-rows.ts';
import { fillColumns } from './fill-columns.ts';
import type { ResumedGroup, RowGroupContext } from './group-context.ts';
import { type MadeGroup, makeRows } from './make-rows.ts';
import type { GroupProgress } from './group-progress.ts';
import { preparePlan } from './prepare-plan.ts';

let models: AnsweringModels;
let folder: string;

beforeAll(async () => {
  models = await AnsweringModels.open();
  folder = await mkdtemp(join(tmpdir(), 'flow-rows-'));
});
afterAll(async () => {
  models[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

let opened: OpenGroup[];
beforeEach(() => {
  models.reset();
  opened = [];
});
afterEach(async () => {
  for (const one of opened) await one[Symbol.asyncDispose]();
});

/** A column that sends the number of its row to the model of its own name. */
const text = (name: string, prompt = 'row {{ n }}', rest: object = {}): object => {
  return { name, column_type: 'llm-text', model_alias: name, prompt, ...rest };
};

/** A plan over seed rows with their row number as only column; at most `limit` requests to a model at a time. */
function planWith(columns: readonly object[], { limit = 8, run = {}, attempts = [] as readonly object[] } = {}): Plan {
  const aliases = columns.flatMap((column) => ('model_alias' in column ? [column.model_alias as string] : []));
  const model_configs = [...new Set(aliases)].map((alias) => {
    const parameters = {
      max_parallel_requests: limit,
      ...(alias.startsWith('art') ? { generation_type: 'image' } : {}),
    };
    return { alias, model: alias, provider: 'here', inference_parameters: parameters };
  });
  const tables = [{ id: 'seed', fields: [field('n', 'int64')] }];
  return planOf({ model_configs, columns, attempts }, { tables, run });
}

interface FlowOptions extends Partial<RowGroupContext> {
  readonly group?: ResumedGroup;
  readonly rows?: number;
  readonly firstRow?: number;
}

/** Makes the rows of a group through a gateway; also returns them as objects. */
async function flow(plan: Plan, gateway: Gateway, { rows = 4, firstRow = 0, ...options }: FlowOptions = {}) {
  const prepared = preparePlan(plan, registry);
  const { group = { index: 3, firstRow, rows }, ...given } = options;
  const lost = new LostRowCount();
  const numbers = Array.from({ length: rows }, (_, position) => firstRow + position);
  const tables = new Map([['seed', new Map([['n', numbers]])]]);
  const filled = fillColumns(prepared, group, { tables, lost });
  const { signal } = new AbortController();
  const nothing = { tables: async () => tables, write: async () => undefined };
  const context = { gateway, signal, ...nothing, ...given };
  const flowed = await makeRows(prepared, filled, { group, context, lost });
  return { ...flowed, made: rowsOf(flowed), reasons: lost.list() };
}

function rowsOf({ columns, rows }: MadeGroup): Row[] {
  const names = [...columns.keys()];
  return Array.from({ length: rows }, (_, at) =>
    Object.fromEntries(names.map((name) => [name, columns.get(name)?.[at] as CellValue])),
  );
}

function open(plan: Plan, options: Partial<GroupOptions> = {}): OpenGroup {
  const group = openGroup(plan, { endpoint: models.endpoint, ...options });
  opened.push(group);
  return group;
}

/** Reads the progress of a group at any time after its start. */
function watched() {
  let given: (() => GroupProgress) | undefined;
  const watch: RowGroupContext['watch'] = (look) => {
    given = look;
    return { report: () => {}, [Symbol.dispose]: () => {} };
  };
  return { watch, look: () => given?.() };
}

/** Makes the rows of a plan through its own gateway. */
function made(plan: Plan, options?: FlowOptions) {
  return flow(plan, open(plan).gateway, options);
}

test('a cell starts as soon as its inputs are done, whatever else its row waits for', async () => {
  const plan = planWith([
    text('slow'),
    text('quick'),
    text('after', '{{ quick }}!'),
    expression('both', '{{ slow }} {{ after }}'),
  ]);
  const held: (() => void)[] = [];
  models.answer = (one, response) => {
    if (one.model === 'slow') held.push(() => say(one, response));
    else say(one, response);
    // The slow answers come only after two requests that do not need them.
    if (models.asked.filter(({ model }) => model === 'after').length === 2) for (const go of held.splice(0)) go();
  };
  const { made: rows, cells } = await made(plan, { rows: 2 });
  expect(rows).toEqual(
    [0, 1].map((n) => ({
      n,
      slow: `slow: row ${n}`,
      quick: `quick: row ${n}`,
      after: `after: quick: row ${n}!`,
      both: `slow: row ${n} after: quick: row ${n}!`,
    })),
  );
  const whole = { made: 2, failed: 0, passing: 0 };
  expect(cells).toEqual({ slow: whole, quick: whole, after: whole, both: whole });
});

test('with one request at a time rows run in order, and few rows are open at once', async () => {
  const plan = planWith([expression('label', 'row {{ n }}'), text('said', '{{ label }}')], { limit: 1 });
  const { look, watch } = watched();
  const openRows: number[] = [];
  const atGateway: number[] = [];
  const waiting: number[] = [];
  const group = open(plan);
  const admission = group.router.admission(OPEN_ROWS);
  models.answer = (one, response) => {
    openRows.push(look()?.cells.label?.made ?? 0);
    atGateway.push(admission.inFlight);
    waiting.push(admission.waiting);
    say(one, response);
  };
  const { rows, made: all } = await flow(plan, group.gateway, { rows: 12, watch });
  expect(rows).toBe(12);
  await until(() => admission.inFlight === 0);
  expect(all.map(({ n }) => n)).toEqual(models.asked.map((_, at) => at));
  expect(models.asked.map(({ prompt }) => prompt)).toEqual(all.map(({ n }) => `row ${n as number}`));
  expect(mostOpenRows(plan)).toBeLessThan(6);
  expect(openRows.at(-1)).toBe(12);
  // The gateway counts each open row, since it schedules the rows of all groups together.
  expect(Math.min(...atGateway)).toBeGreaterThan(0);
  expect(Math.max(...waiting)).toBeLessThanOrEqual(mostOpenRows(plan));
  for (const [done, count] of openRows.entries()) expect(count - done).toBeLessThanOrEqual(mostOpenRows(plan));
});

test('a failed cell drops its row, and the other rows of the group continue', async () => {
  models.answer = (one, response) => (one.prompt === 'row 1' ? refuse(response) : say(one, response));
  const result = await made(planWith([text('said'), expression('echo', '{{ said }}')]));
  expect(result).toMatchObject({ rows: 3, unfinished: 0, fatal: undefined });
  expect(result.made.map(({ n, echo }) => [n, echo])).toEqual([0, 2, 3].map((n) => [n, `said: row ${n}`]));
  expect([0, 1, 2].map(result.rowIndexOf)).toEqual([0, 2, 3]);
  expect(result.reasons).toMatchObject([{ column: 'said', code: 'model/rejected', rows: 1 }]);
  expect(result.reasons[0]?.message).toContain('not this one');
  expect(result.failures).toMatchObject([{ row: 1, column: 'said', code: 'model/rejected', onFailure: 'drop_row' }]);
  expect(result.cells).toEqual({
    said: { made: 3, failed: 1, passing: 0 },
    echo: { made: 3, failed: 0, passing: 0 },
  });
});

test('when an expression fails, the failure names its column and not the model column that reads it', async () => {
  const plan = planWith([expression('broken', '{{ 6 // (n - 2) }}'), text('said', '{{ broken }}')]);
  const result = await made(plan);
  expect(result.reasons).toMatchObject([{ column: 'broken', rows: 1 }]);
  expect(result.failures).toMatchObject([{ row: 2, column: 'broken' }]);
  expect(models.asked).toHaveLength(3);
});

test('with `on_failure: null` the row continues with nulls in the failed cell and its side effects', async () => {
  models.answer = (one, response) => (one.prompt === 'row 1' ? refuse(response) : say(one, response));
  const rest = { on_failure: 'null', with_trace: true };
  const result = await made(planWith([text('said', 'row {{ n }}', rest), expression('echo', '<{{ said }}>')]));
  expect(result).toMatchObject({ rows: 4, reasons: [] });
  expect(result.made[1]).toMatchObject({ n: 1, said: null, said__trace: null, echo: '<None>' });
  expect(result.made[2]).toMatchObject({ said: 'said: row 2', echo: '<said: row 2>' });
  expect(result.failures).toMatchObject([{ row: 1, column: 'said', onFailure: 'null' }]);
  expect(result.cells.said).toEqual({ made: 3, failed: 1, passing: 0 });
});

test('with `on_failure: abort` a failed cell ends the run with its row, column and reason, and finished rows are kept', async () => {
  models.answer = (one, response) => (one.prompt === 'row 2' ? refuse(response) : say(one, response));
  const plan = planWith([text('said', 'row {{ n }}', { on_failure: 'abort' })], { limit: 1 });
  const result = await made(plan, { rows: 6 });
  expect(result.fatal).toMatchObject({ code: 'run/cell-failed' });
  expect(JSON.stringify(result.fatal)).toMatch(/said.*not this one|not this one.*said/);
  expect(result.fatal?.data).toMatchObject({ row: 2, column: 'said' });
  expect(result.made.map(({ n }) => n)).toEqual(expect.arrayContaining([0, 1]));
  expect(result).toMatchObject({ rows: result.made.length, unfinished: 6 - result.made.length, reasons: [] });
  expect(result.failures).toMatchObject([{ row: 2, onFailure: 'abort' }]);
});

test('a column with a partial result writes it and reports the failure, unless `on_failure` is set', async () => {
  const params = { endpoint_url: `${models.origin}/validate`, max_retries: 0 };
  const checked = (rest: object = {}) => [
    {
      name: 'ok',
      column_type: 'validation',
      target_columns: ['n'],
      validator_type: 'remote',
      validator_params: params,
      ...rest,
    },
    expression('said', '{{ ok.is_valid }}'),
  ];
  models.answer = (_, response) => refuse(response);
  const kept = await made(planWith(checked()));
  expect(kept.made[3]).toMatchObject({ n: 3, ok: { is_valid: null }, said: 'None' });
  expect(kept).toMatchObject({ rows: 4, reasons: [] });
  expect(kept.failures).toMatchObject([0, 1, 2, 3].map((row) => ({ row, column: 'ok', onFailure: 'null' })));
  const dropped = await made(planWith(checked({ on_failure: 'drop_row' })));
  expect(dropped).toMatchObject({ rows: 0, reasons: [{ column: 'ok', code: 'validator/failed', rows: 4 }] });
  const [column] = checked({ on_failure: 'null' });
  const nulls = await made(planWith([column as object]));
  expect(nulls.made.map(({ ok }) => ok)).toEqual([null, null, null, null]);
});

test('a skipped cell has the value of its rule, null side effects, and sends no request', async () => {
  const skip = { when: '{{ n > 1 }}', value: 'none' };
  const plan = planWith([
    text('said', 'row {{ n }}', { skip, with_trace: true }),
    expression('passed on', '{{ said }}!'),
    expression('stays', '{{ said }}!', { propagate_skip: false }),
    expression('asks', '{{ n }}', { skip: { when: '{{ said == "none" }}', value: 7 } }),
  ]);
  const { made: rows, cells } = await made(plan);
  expect(models.asked.map(({ prompt }) => prompt).toSorted()).toEqual(['row 0', 'row 1']);
  expect(rows[0]).toMatchObject({ said: 'said: row 0', 'passed on': 'said: row 0!', stays: 'said: row 0!', asks: '0' });
  expect(rows[3]).toEqual({ n: 3, said: 'none', said__trace: null, 'passed on': null, stays: 'none!', asks: '7' });
  expect(cells.said).toEqual({ made: 4, failed: 0, passing: 0 });
});

test('an integral float prints as a float in templates, in drawn and in computed columns', async () => {
  const plan = planWith([
    sampled('whole', 'uniform', { params: { low: 0, high: 9, decimal_places: 0 } }),
    { name: 'half', column_type: 'expression', expr: '{{ n / 2 }}', dtype: 'float' },
    expression('shown', '{{ whole }} {{ half }}'),
    text('said', 'at {{ half }}'),
  ]);
  const { made: rows } = await made(plan, { rows: 3 });
  const halves = ['0.0', '0.5', '1.0'];
  expect(rows.map(({ shown }) => shown)).toEqual(rows.map(({ whole }, at) => `${whole as number}.0 ${halves[at]}`));
  expect(rows.map(({ said }) => said)).toEqual(halves.map((half) => `said: at ${half}`));
});

const CHECKED = {
  name: 'ok',
  column_type: 'validation',
  target_columns: ['said'],
  validator_type: 'local_callable',
  batch_size: 100,
};

test('a column over all rows gets them in order, without lost and skipped ones', async () => {
  const seen: Row[][] = [];
  const check = (rows: readonly Row[]): readonly Row[] => {
    seen.push([...rows]);
    return rows.map(({ said }) => ({ is_valid: said !== 'said: row 4' }));
  };
  const skip = { when: '{{ n == 2 }}' };
  const column = { ...CHECKED, skip, validator_params: { validation_function: check } };
  const plan = planWith([text('said'), column, expression('verdict', '{{ ok.is_valid }}')], { limit: 8 });
  const held: { readonly prompt: string; readonly go: () => void }[] = [];
  models.answer = (one, response) => {
    held.push({ prompt: one.prompt, go: () => (one.prompt === 'row 1' ? refuse(response) : say(one, response)) });
    // All rows are open at once, and the answers come in reverse order.
    if (held.length === 5) for (const { go } of held.toSorted((a, b) => b.prompt.localeCompare(a.prompt))) go();
  };
  using functions = openFunctions({ 'columns.ok.validatorParams.validationFunction': check });
  const result = await made(plan, { rows: 5, functions });
  expect(seen).toEqual([[{ said: 'said: row 0' }, { said: 'said: row 3' }, { said: 'said: row 4' }]]);
  expect(result.made.map(({ n, verdict }) => [n, verdict])).toEqual([
    [0, 'True'],
    [2, null],
    [3, 'True'],
    [4, 'False'],
  ]);
  expect(result.reasons).toMatchObject([{ column: 'said', rows: 1 }]);
});

function allValid(rows: readonly Row[]): readonly Row[] {
  return rows.map(() => ({ is_valid: true }));
}

/** Makes all rows together; each row runs a recorded call of its own. */
const TOGETHER = customColumn({
  requiredColumns: ['said'],
  generate: (rows: unknown, { cells }) => {
    const all = rows as readonly Row[];
    return Promise.all(
      cells.map(async (cell, at) => ({ ok: await cell.recordOutcome('own', () => [all.length, all[at]?.said]) })),
    );
  },
});

test('a row stays in a column over all rows even if another of its cells drops it meanwhile', async () => {
  const column = {
    name: 'ok',
    column_type: 'custom',
    generation_strategy: 'full_column',
    generator_function: TOGETHER,
  };
  const plan = planWith([text('said'), column, text('other', 'other {{ n }}')]);
  const { look, watch } = watched();
  const { gateway } = open(plan);
  const cancel = gateway.cancel.bind(gateway);
  const given = new Set<unknown>();
  gateway.cancel = (what) => (given.add(what), cancel(what));
  models.answer = (one, response) => {
    // Row 1 arrives first, and is lost before the others arrive.
    if (one.prompt === 'other 1') void until(() => look()?.cells.said?.made === 1).then(() => refuse(response));
    else void until(() => one.prompt === 'row 1' || look()?.lost === 1).then(() => say(one, response));
  };
  using functions = openFunctions({ 'columns.ok.generatorFunction': TOGETHER });
  const result = await flow(plan, gateway, { rows: 4, functions, watch });
  // The lost row releases its permits too, once the shared cells are made.
  await until(() => [0, 1, 2, 3].every((row) => given.has(row)));
  expect(result.made.map(({ n, ok }) => [n, ok])).toEqual([0, 2, 3].map((n) => [n, [4, `said: row ${n}`]]));
  expect(look()).toMatchObject({ rows: 3, lost: 1, reasons: [{ column: 'other', rows: 1 }] });
});

test('a group with a column over all rows opens all of them, whatever the request limit', async () => {
  const column = { ...CHECKED, validator_params: { validation_function: allValid } };
  const plan = planWith([text('said'), column], { limit: 1 });
  using functions = openFunctions({ 'columns.ok.validatorParams.validationFunction': allValid });
  expect(mostOpenRows(plan)).toBeLessThan(12);
  expect(await made(plan, { rows: 12, functions })).toMatchObject({ rows: 12, unfinished: 0 });
});

test('a lost row finishes the requests that it has sent, and sends no further one', async () => {
  const plan = planWith([text('bad'), text('slow'), text('after', '{{ slow }}')]);
  const journal = join(folder, 'finishes');
  const { gateway } = open(plan, { journal });
  const { look, watch } = watched();
  models.answer = (one, response) => {
    if (one.model === 'bad' && one.prompt === 'row 1')
      return void until(() => models.asked.some(({ model, prompt }) => model === 'slow' && prompt === 'row 1')).then(
        () => refuse(response),
      );
    if (one.model !== 'slow' || one.prompt !== 'row 1') return say(one, response);
    return void until(() => look()?.cells.bad?.failed === 1).then(() => say(one, response));
  };
  const result = await flow(plan, gateway, { rows: 3, watch });
  expect(result.made.map(({ n }) => n)).toEqual([0, 2]);
  expect(result.reasons).toMatchObject([{ column: 'bad', rows: 1 }]);
  expect(result.failures).toMatchObject([{ row: 1, column: 'bad' }]);
  expect(result.usage).toMatchObject({
    slow: { requests: 3, outputTokens: 9 },
    after: { requests: 2 },
  });
  const kept = entriesOf(journal).filter(({ row }) => row === 1);
  expect(kept.map(({ column }) => column)).toEqual(['slow']);
});

test('a cell that must not fail ends the run also in a row that is lost already', async () => {
  const plan = planWith([text('bad'), text('slow', 'row {{ n }}', { on_failure: 'abort' })]);
  const { look, watch } = watched();
  models.answer = (one, response) => {
    if (one.model === 'slow') return void until(() => look()?.cells.bad?.failed === 1).then(() => refuse(response));
    return void until(() => models.asked.length === 2).then(() => refuse(response));
  };
  const result = await made(plan, { rows: 1, watch });
  expect(result).toMatchObject({ rows: 0, unfinished: 1, fatal: { code: 'run/cell-failed' }, reasons: [] });
});

test('usage counts requests by model and column, failed ones included', async () => {
  models.answer = (one, response) => (one.prompt === 'row 1' ? refuse(response) : say(one, response));
  const { usage, tools } = await made(planWith([text('said'), text('more', '{{ said }}')]));
  expect(usage.said).toMatchObject({ requests: 4, failedRequests: 1, inputTokens: 30, outputTokens: 9 });
  expect(usage.more).toMatchObject({ requests: 3, failedRequests: 0, columns: { more: { first: { requests: 3 } } } });
  expect(tools).toEqual({});
});

test.each([
  ['a status', { status: 500, headers: {}, body: '{}' }],
  ['a page', { status: 200, headers: {}, body: '<p>', verdict: 'unusable' }],
  ['a timeout', undefined],
] as const)(
  'the group counts rows whose endpoint answered others while their requests failed with %s',
  async (...[, end]) => {
    const tries = { requests: 4, refused: 0, possiblyPaid: 0 };
    const gateway: Gateway = {
      admit: () => Promise.resolve(),
      call: async ({ row, timeoutMs }) => {
        const sent = row === 0 ? { tries } : { tries: { ...tries, othersAnswered: true as const } };
        if (end) return { ...end, ...sent };
        throw new DataDesignerError('model/timed-out', { model: 'said', timeoutMs, ...sent });
      },
      listTools: () => Promise.resolve([]),
      cancel: () => {},
    };
    expect(await flow(planWith([text('said')]), gateway)).toMatchObject({
      rows: 0,
      lostAlone: 3,
      reasons: [{ rows: 4 }],
    });
  },
);

test('a failure that affects every row ends the group: finished rows are kept, the others are left, the watcher is notified', async () => {
  models.answer = (one, response) => (one.prompt === 'row 2' ? refuse(response, 401) : say(one, response));
  const told: GroupProgress[] = [];
  const watch: RowGroupContext['watch'] = (look) => ({ report: () => told.push(look()), [Symbol.dispose]: () => {} });
  const result = await made(planWith([text('said')], { limit: 1 }), { rows: 8, watch });
  expect(result.made.map(({ said }) => said)).toEqual(['said: row 0', 'said: row 1']);
  expect(result).toMatchObject({ rows: 2, unfinished: 6, failures: [], reasons: [] });
  expect(result.fatal).toMatchObject({ code: 'model/unauthorized' });
  // No request follows a refusal that affects all.
  expect(models.asked).toHaveLength(3);
  expect(told).toMatchObject([{ group: 3, rows: 2, lost: 0, fatal: { code: 'model/unauthorized' } }]);
});

test('at the end of a run cells in flight finish, and rows with more requests to send are left for a later run', async () => {
  const plan = planWith([text('said'), text('more', '{{ said }}')], { limit: 2 });
  const group = open(plan);
  models.answer = (one, response) => {
    // Rows whose second request is in flight at the end of the run can finish.
    if (models.asked.filter(({ model }) => model === 'more').length === 2 && one.model === 'more') {
      group.router.pause();
      group.channel.endAsking();
    }
    say(one, response);
  };
  const result = await flow(plan, group.gateway, { rows: 20 });
  expect(result.rows).toBeGreaterThanOrEqual(2);
  expect(result).toMatchObject({ unfinished: 20 - result.rows, failures: [], reasons: [], fatal: undefined });
  for (const { n, more } of result.made) expect(more).toBe(`more: said: row ${n as number}`);
});

function neverWhole(): never {
  return expect.unreachable('a group that is not whole is not checked');
}

test('a column over all rows leaves all of them for a later run if one of them is left', async () => {
  const column = { ...CHECKED, validator_params: { validation_function: neverWhole } };
  const plan = planWith([text('said'), column]);
  models.answer = (one, response) => (one.prompt === 'row 3' ? refuse(response, 401) : say(one, response));
  using functions = openFunctions({ 'columns.ok.validatorParams.validationFunction': neverWhole });
  const result = await made(plan, { functions });
  expect(result).toMatchObject({ rows: 0, unfinished: 4, failures: [], fatal: { code: 'model/unauthorized' } });
});

test('a failure to write images is thrown', async () => {
  const file = join(folder, 'a file');
  await writeFile(file, '');
  models.answer = (_, response) => paint(response);
  const plan = planWith([text('art', 'row {{ n }}', { column_type: 'image' })]);
  await expect(made(plan, { folder: file })).rejects.toMatchObject({ code: expect.stringMatching(/^dataset\//) });
});

test('the group lists the images of lost rows for removal', async () => {
  models.answer = (one, response) =>
    one.model === 'art' ? paint(response) : one.prompt === 'row 1' ? refuse(response) : say(one, response);
  const plan = planWith([
    text('art', 'row {{ n }}', { column_type: 'image' }),
    text('said', 'row {{ n }}', { skip: { when: '{{ art == [] }}' } }),
  ]);
  const { made: rows, orphanedImages } = await made(plan, { folder });
  const kept = rows.flatMap(({ art }) => art as string[]);
  expect(kept).toHaveLength(3);
  expect(orphanedImages).toHaveLength(1);
  expect(kept).not.toContain(orphanedImages[0]);
  expect(orphanedImages[0]).toMatch(/^images\/art\//);
});

test('a dry replay makes the rows with journaled answers, leaves the others and sends no request', async () => {
  const journal = join(folder, 'dry');
  const plan = planWith([text('said'), text('more', '{{ said }}'), text('aside', 'aside {{ n }}')]);
  const first = await flow(plan, open(plan, { journal }).gateway);
  await opened.pop()?.[Symbol.asyncDispose]();
  const entries = entriesOf(journal);
  expect(entries).toHaveLength(12);
  const before = models.asked.length;
  using replay = openReplay(entries.filter(({ row, column }) => row !== 1 && (row !== 2 || column !== 'said')));
  const again = await flow(plan, replay.gateway);
  expect(again).toMatchObject({ rows: 2, unfinished: 2, failures: [], reasons: [], fatal: undefined });
  expect(again.made).toEqual([first.made[0], first.made[3]]);
  // An unfinished row still makes the cells it can: their requests show which answers are void.
  expect(again.cells.aside?.made).toBe(3);
  expect(again.usage.said?.requests).toBe(2);
  expect(replay.voided).toEqual([]);
  using changed = openReplay(entries);
  const other = await flow(
    planWith([text('said'), text('more', '{{ said }}?'), text('aside', 'aside {{ n }}')]),
    changed.gateway,
  );
  expect(other).toMatchObject({ rows: 0, unfinished: 4 });
  expect(changed.voided.map(({ row, column }) => `${row} ${column}`).toSorted()).toEqual(
    [0, 1, 2, 3].map((n) => `${n} more`),
  );
  expect(models.asked).toHaveLength(before);
});

test('a replay stores the same traces, and a prompt that prints a trace omits its stored-only fields', async () => {
  const journal = join(folder, 'traced');
  const traced = { ...text('said'), with_trace: true };
  const plan = planWith([
    traced,
    text('more', '{{ said__trace }}'),
    text('named', '{{ said__trace[-1].finish_reason }}'),
  ]);
  const first = await flow(plan, open(plan, { journal }).gateway);
  await opened.pop()?.[Symbol.asyncDispose]();
  const answers = first.made.map((row) => (row as { said__trace: readonly object[] }).said__trace.at(-1));
  expect(answers).toHaveLength(4);
  for (const answer of answers) expect(answer).toMatchObject({ role: 'assistant', finish_reason: 'stop' });
  const bodies = models.asked.map((asked) => JSON.stringify(asked));
  expect(bodies.filter((body) => body.includes('finish_reason'))).toEqual([]);
  using replay = openReplay(entriesOf(journal));
  expect((await flow(plan, replay.gateway)).made).toEqual(first.made);
  expect(replay.voided).toEqual([]);
});

test('a cell that ended an earlier run is requested again after its journaled answers', async () => {
  const parsed = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
  const column = { name: 'said', column_type: 'llm-structured', model_alias: 'said', prompt: 'row {{ n }}' };
  const plan = planWith([{ ...column, output_format: parsed, on_failure: 'abort' }], {
    run: { maxConversationRestarts: 0 },
  });
  const journal = join(folder, 'anew');
  const one = open(plan, { journal });
  models.answer = (_, response) => reply(response, completion('no number at all'));
  expect(await flow(plan, one.gateway, { rows: 1 })).toMatchObject({ fatal: { code: 'run/cell-failed' } });
  await opened.pop()?.[Symbol.asyncDispose]();
  const journaledCalls = entriesOf(journal).map(({ row, call, column: name }) => `${row}/${call}/${name}`);
  expect(journaledCalls).toEqual(['0/0/said']);
  models.answer = (_, response) => reply(response, completion('{"age": 7}'));
  const group = { index: 0, firstRow: 0, rows: 1, journaledCalls };
  const again = await flow(plan, open(plan, { journal }).gateway, { rows: 1, group });
  expect(again.made).toEqual([{ n: 0, said: { age: 7 } }]);
  expect(models.asked).toHaveLength(2);
});

test('a group in the middle of a run numbers its requests, failures and rows by their position in the run', async () => {
  models.answer = (one, response) => (one.prompt === 'row 101' ? refuse(response) : say(one, response));
  const result = await made(planWith([text('said')]), { firstRow: 100, rows: 3 });
  expect(result.made.map(({ said }) => said)).toEqual(['said: row 100', 'said: row 102']);
  expect([0, 1].map(result.rowIndexOf)).toEqual([100, 102]);
  expect(result.failures).toMatchObject([{ row: 101 }]);
});

const SOLVE = { name: 'solve', columns: ['said', 'fits'], until: 'fits', max: 3 };
const FITS = expression('fits', "{{ said.endswith('good') }}", { dtype: 'bool' });

/** The model of the column `said` answers each row's attempts in turn; a number is a status. */
function answerInTurn(...answers: readonly (string | number)[]): void {
  const counts = new Map<string, number>();
  models.answer = (asked, response) => {
    const count = counts.get(asked.prompt) ?? 0;
    counts.set(asked.prompt, count + 1);
    const answer = asked.model === 'said' ? (answers[count] ?? 'good') : 'good';
    if (typeof answer === 'number') refuse(response, answer);
    else reply(response, completion(`${asked.prompt}: ${answer}`));
  };
}

test('a block is made until it fits; its columns read each other, and others read what is kept', async () => {
  answerInTurn('bad', 'good');
  const columns = [text('said'), text('after', '{{ said }} {{ solve__attempts }}'), FITS];
  const { made: rows, reasons, failures } = await made(planWith(columns, { attempts: [SOLVE] }));
  expect(rows.map(({ said, fits, solve__attempts: count }) => [said, fits, count])).toEqual(
    [0, 1, 2, 3].map((n) => [`row ${n}: good`, true, 2]),
  );
  expect(
    models.asked
      .filter(({ model }) => model === 'after')
      .map(({ prompt }) => prompt)
      .toSorted(),
  ).toEqual([0, 1, 2, 3].map((n) => `row ${n}: good 2`));
  expect([reasons, failures, models.asked.length]).toEqual([[], [], 12]);
});

/** What becomes of a row whose attempts all fail. */
async function outcome(onExhausted: string) {
  answerInTurn('bad 1', 'bad 2', 'bad 3');
  const plan = planWith([text('said', 'row {{ n }}', { with_trace: 'all_messages' }), FITS], {
    attempts: [{ ...SOLVE, on_exhausted: onExhausted }],
  });
  const { made: rows, failures, reasons } = await made(plan, { rows: 1 });
  return { rows, failed: failures.map(({ column, code, onFailure }) => [column, code, onFailure]), reasons };
}

test('a row without an attempt that fits is lost, or keeps the last one or nulls, and is reported as the block', async () => {
  const code = 'attempts/exhausted';
  expect(await outcome('drop_row')).toMatchObject({
    rows: [],
    failed: [['solve', code, 'drop_row']],
    reasons: [{ column: 'solve', code, rows: 1 }],
  });
  expect(await outcome('keep_last')).toMatchObject({
    rows: [{ said: 'row 0: bad 3', fits: false, solve__attempts: 3 }],
    failed: [['solve', code, 'null']],
    reasons: [],
  });
  expect(await outcome('null')).toMatchObject({
    rows: [{ n: 0, said: null, said__trace: null, fits: null, solve__attempts: 3 }],
    failed: [['solve', code, 'null']],
  });
});

test('a refused request ends its attempt, and a fault of the endpoint the row', async () => {
  const plan = planWith([text('said'), FITS], { attempts: [SOLVE] });
  answerInTurn(400, 'good');
  const refused = await made(plan, { rows: 1 });
  expect(refused).toMatchObject({ made: [{ said: 'row 0: good', solve__attempts: 2 }], failures: [], reasons: [] });
  expect(refused.cells.said).toEqual({ made: 1, failed: 1, passing: 0, attempted: { made: 0, failed: 1 } });
  answerInTurn('bad', 'no model has this status');
  const gateway = open(plan).gateway;
  let calls = 0;
  const failing: Gateway = {
    admit: (...given) => gateway.admit(...given),
    cancel: (...given) => gateway.cancel(...given),
    listTools: (...given) => gateway.listTools(...given),
    call: (call) => {
      if (calls++ === 0) return gateway.call(call);
      return Promise.reject(new DataDesignerError('model/unreachable', { model: 'said', reason: 'gone' }));
    },
  };
  const lost = await flow(plan, failing, { rows: 1 });
  expect(lost.reasons).toMatchObject([{ column: 'said', code: 'model/unreachable', rows: 1 }]);
  expect(lost.failures).toMatchObject([{ column: 'said', code: 'model/unreachable' }]);
  expect(calls).toBe(2);
});

test('in a block `on_failure: null` continues the attempt, and the failure is reported of the kept attempt only', async () => {
  const said = text('said', 'row {{ n }}', { on_failure: 'null' });
  const fits = expression('fits', '{{ said is none }}', { dtype: 'bool' });
  answerInTurn('bad', 400, 'never');
  const { made: rows, failures } = await made(planWith([said, fits], { attempts: [SOLVE] }), { rows: 1 });
  expect(rows).toMatchObject([{ said: null, fits: true, solve__attempts: 2 }]);
  expect(failures).toMatchObject([{ row: 0, column: 'said', code: 'model/rejected', onFailure: 'null' }]);
  answerInTurn(400, 'good');
  const other = await made(planWith([said, FITS], { attempts: [SOLVE] }), { rows: 1 });
  expect([other.made[0]?.['said'], other.failures]).toEqual(['row 0: good', []]);
});

test('a skip within an attempt skips the columns that read it, outside of the block too, and ends with its attempt', async () => {
  const skip = { when: "{{ said.endswith('bad') }}", value: 'none' };
  const columns = [
    text('said'),
    expression('note', 'on {{ said }}', { skip }),
    FITS,
    expression('after', '{{ note }}', { skip: { when: '{{ n > 9 }}', value: 'skipped' } }),
  ];
  const attempts = [{ ...SOLVE, columns: ['said', 'note', 'fits'], max: 2, on_exhausted: 'keep_last' }];
  answerInTurn('bad', 'good');
  const plan = planWith(columns, { attempts });
  expect((await made(plan, { rows: 1 })).made).toMatchObject([{ note: 'on row 0: good', after: 'on row 0: good' }]);
  answerInTurn('bad', 'bad');
  expect((await made(plan, { rows: 1 })).made).toMatchObject([{ note: 'none', after: 'skipped' }]);
});

test('a validator gets one row per call in a block, without waiting for others, and no verdict ends the attempt', async () => {
  const check = {
    name: 'ok',
    column_type: 'validation',
    target_columns: ['said'],
    validator_type: 'remote',
    validator_params: { endpoint_url: `${models.origin}/validate`, max_retries: 0 },
  };
  const bodies: string[] = [];
  models.answer = ({ model, prompt }, response) => {
    if (model === 'said') return reply(response, completion(`${prompt}: ${bodies.length}`));
    bodies.push(model);
    reply(response, bodies.length === 1 ? { data: [] } : { data: [{ is_valid: true }] });
  };
  const attempts = [{ ...SOLVE, columns: ['said', 'ok'], until: 'ok.is_valid != false' }];
  const { made: rows, failures, cells } = await made(planWith([text('said'), check], { attempts }), { rows: 1 });
  expect(rows).toMatchObject([{ said: 'row 0: 1', ok: { is_valid: true }, solve__attempts: 2 }]);
  const counts = { made: 1, failed: 1, passing: 0, attempted: { made: 0, failed: 1 } };
  expect([bodies.length, failures, cells.ok]).toEqual([2, [], counts]);
  bodies.length = 0;
  const once = await made(planWith([text('said'), check], { attempts: [{ ...attempts[0], max: 1 }] }), { rows: 1 });
  expect(once.failures).toMatchObject([
    { column: 'solve', message: expect.stringContaining('returned an unusable answer') },
  ]);
});

test('each attempt has a row and a seed of its own, the same in every run', async () => {
  const plan = planWith([text('said'), FITS], {
    attempts: [{ name: 'solve', columns: ['said', 'fits'], max: 3, keep: 'all' }],
  });
  const seedsOf = async () => {
    answerInTurn('one', 'two', 'three');
    const seeds: number[] = [];
    const { gateway } = open(plan);
    const listening: Gateway = {
      admit: (...given) => gateway.admit(...given),
      cancel: (...given) => gateway.cancel(...given),
      listTools: (...given) => gateway.listTools(...given),
      call: (call) => {
        seeds.push((JSON.parse(call.body) as { seed: number }).seed);
        return gateway.call(call);
      },
    };
    const { made: rows } = await flow(plan, listening, { rows: 2 });
    const said = rows.flatMap(({ solve__all: all }) => (all as { said: string }[]).map((one) => one.said));
    return { said: said.toSorted(), seeds: seeds.toSorted((a, b) => a - b) };
  };
  const { said, seeds } = await seedsOf();
  const words = ['one', 'three', 'two'];
  expect(said).toEqual([0, 1].flatMap((n) => words.map((word) => `row ${n}: ${word}`)));
  expect(new Set(seeds).size).toBe(6);
  expect((await seedsOf()).seeds).toEqual(seeds);
});

test('a condition that is neither true nor false costs the row at its first attempt', async () => {
  const word = expression('word', "{{ said.endswith('good') and 'yes' }}");
  answerInTurn('good');
  const attempts = [{ ...SOLVE, columns: ['said', 'word'], until: 'word', on_exhausted: 'keep_last' }];
  const { reasons, failures } = await made(planWith([text('said'), word], { attempts }), { rows: 1 });
  expect(reasons).toMatchObject([{ column: 'solve', code: 'attempts/undecided', rows: 1 }]);
  expect(failures).toMatchObject([{ column: 'solve', code: 'attempts/undecided', onFailure: 'drop_row' }]);
  expect(models.asked).toHaveLength(1);
});

/** The cells that the journal records as failed. */
async function recordedBy(attempts: readonly object[]) {
  answerInTurn(400, 'good');
  const plan = planWith([text('said'), FITS], { attempts });
  const { gateway } = open(plan);
  const recorded: unknown[] = [];
  const recording: Gateway & Pick<OutcomeJournal, 'failCell'> = {
    admit: (...given) => gateway.admit(...given),
    cancel: (...given) => gateway.cancel(...given),
    listTools: (...given) => gateway.listTools(...given),
    call: (...given) => gateway.call(...given),
    failCell: async ({ failure: { code }, ...at }) => void recorded.push({ ...at, code }),
  };
  await flow(plan, recording, { rows: 1 });
  return recorded;
}

test('the journal records a refused request of an attempt, and none outside of attempts', async () => {
  expect(await recordedBy([SOLVE])).toEqual([{ row: 0, column: 'said', attempt: 0, code: 'model/rejected' }]);
  expect(await recordedBy([])).toEqual([]);
});

test('a dry replay leaves a row whose journal ends within an attempt, and knows the attempts by their calls', async () => {
  const journal = join(folder, 'dry-attempts');
  const plan = planWith([text('said'), FITS], { attempts: [SOLVE] });
  answerInTurn('bad', 'good');
  const first = await flow(plan, open(plan, { journal }).gateway);
  await opened.pop()?.[Symbol.asyncDispose]();
  const entries = entriesOf(journal);
  expect(entries.map(({ row, call }) => `${row} ${call}`).toSorted()).toEqual(
    [0, 1, 2, 3].flatMap((row) => [`${row} 0`, `${row} 1048576`]),
  );
  using replay = openReplay(entries.filter(({ row, call }) => row !== 1 || call === 0));
  const again = await flow(plan, replay.gateway);
  expect(again).toMatchObject({ rows: 3, unfinished: 1, failures: [], reasons: [] });
  expect(again.made).toEqual(first.made.filter(({ n }) => n !== 1));
});

test('a failed cell of the journal fails its own attempt; one without an attempt fails all', async () => {
  answerInTurn();
  const plan = planWith([text('said'), FITS], { attempts: [{ ...SOLVE, on_exhausted: 'keep_last' }] });
  const failure = new DataDesignerError('model/rejected', { model: 'said', status: 400, reason: 'no' }).toWire();
  const failedCells = [
    { row: 1, column: 'said', attempt: 0, failure },
    { row: 2, column: 'said', failure },
  ];
  const { made: rows } = await made(plan, { group: { index: 3, firstRow: 0, rows: 4, failedCells } });
  expect(rows.map(({ solve__attempts: count, said }) => [count, said])).toEqual([
    [1, 'row 0: good'],
    [2, 'row 1: good'],
    [3, null],
    [1, 'row 3: good'],
  ]);
});

test('a refused attempt is told by what its condition reads, side effects too', () => {
  const columns = [text('a'), text('b', '{{ a }}', { with_trace: true })];
  const attempts = [{ name: 'solve', columns: ['a', 'b'], until: 'b__trace | length > 2 and n > 1', max: 2 }];
  const { units } = preparePlan(planWith(columns, { attempts }), registry);
  expect(units).toMatchObject([{ decides: ['b__trace'] }]);
});
