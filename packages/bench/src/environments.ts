import { type Fields, Random } from '@data-designer/core';
import {
  type EnvironmentConfig,
  type EnvironmentTool,
  kindOf,
  type OpenEnvironment,
} from '@data-designer/environments';
import { measure } from './measure.ts';
import type { BenchRow } from './spine.ts';

const ROWS = 20;
const CALLS = 5_000;
const OPENINGS = 500;
const OPEN = 1_024;

const account = Array.from({ length: ROWS }, (_, id) => ({ id, balance: 1_000_000 }));
const config = {
  name: 'bank',
  kind: 'sqlite',
  schema: 'CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER CHECK (balance >= 0))',
  rows: { account: '{{ accounts }}' },
  tools: [
    {
      name: 'move',
      parameters: { type: 'object', properties: { from: {}, to: {} } },
      sql: [
        'UPDATE account SET balance = balance - 1 WHERE id = :from',
        'UPDATE account SET balance = balance + 1 WHERE id = :to RETURNING balance',
      ],
    },
  ],
};

const none = (): never => {
  throw new Error('the world of this bench reaches nothing');
};

/** The worlds of rows: CPU per tool call of two statements, and per opening with 20 rows; memory of 1,024 open ones. */
export async function environments(): Promise<readonly BenchRow[]> {
  const kind = kindOf(config);
  const parsed = kind.schema.parse(config) as unknown as EnvironmentConfig;
  const tool: Pick<EnvironmentTool, 'name'> = { name: 'move' };
  const open = (rowIndex: number): Promise<OpenEnvironment> => {
    const random = Random.of(1, 'bank').at(rowIndex);
    const values = { schema: config.schema, 'rows.account': account };
    return kind.open(parsed, { rowIndex, values, random, callFunction: none, startServer: none });
  };
  const call = (world: OpenEnvironment, args: Fields) => {
    const { signal } = new AbortController();
    const random = Random.of(1, 'bank').at(0);
    return world.call({ ...tool, arguments: args, random, signal, timeoutMs: 60_000, ask: none });
  };
  const first = await open(0);
  const make = async (calls: number): Promise<void> => {
    for (let at = 0; at < calls; at++) await call(first, { from: at % ROWS, to: (at + 1) % ROWS });
  };
  await make(CALLS);
  const calls = await measure(() => make(CALLS));
  await first.close();
  const openings = await measure(async () => {
    for (let row = 0; row < OPENINGS; row++) await (await open(row)).close();
  });
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const worlds: OpenEnvironment[] = [];
  for (let row = 0; row < OPEN; row++) worlds.push(await open(row));
  const after = process.memoryUsage.rss();
  for (const world of worlds) await world.close();
  return [
    { what: 'a tool call of two statements', figures: { 'CPU ms': calls.cpuUs / CALLS / 1_000 } },
    { what: `opening a world with ${ROWS} rows`, figures: { 'CPU ms': openings.cpuUs / OPENINGS / 1_000 } },
    { what: `${OPEN} open worlds`, figures: { 'MB more': (after - before) / 1024 / 1024 } },
  ];
}
