import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { fieldsOf, type Plan, type PlannedModel, type Row, SEED_TABLE } from '@data-designer/core';
import { DatasetRows, lostRowsOf, PlanRows, readFailures } from '@data-designer/dataset';
import { seedRows } from '@data-designer/seeds';
import type { TrainingSource } from '../examples/training-source.ts';
import type { MessageLists } from '../express.ts';
import type { ExampleKind, Examples } from '../training-format.ts';

/** Where an example comes from, as a member of its record. */
export interface Provenance {
  /** The same for the same row of the same config, whenever it is exported. */
  readonly uuid: string;
  /** The name of the dataset. */
  readonly dataset: string;
  /** The position of the row in the dataset, from 0. */
  readonly row: number;
  /** The row of the seed that it was made from, from 0; absent without a seed, and where that is not known. */
  readonly seed_row?: number;
  /** The models that wrote the answers, as they name themselves; those of the config where the dataset does not store names. */
  readonly models: readonly string[];
  /** The protocols of their providers. */
  readonly protocols: readonly string[];
  /** The temperatures of the config, by model alias; null where it sets none. */
  readonly temperatures: Readonly<Record<string, number | null>>;
  /** The fingerprint of the config. */
  readonly config: string;
  /** This program and its version. */
  readonly generator: string;
  readonly license?: string;
  /** The attempts that the row took, by block. */
  readonly attempts?: Readonly<Record<string, number>>;
}

/** Where an example lies in a dataset. */
interface ExamplePlace {
  readonly row: number;
  /** Its number among those of the row. */
  readonly index: number;
  readonly values: Row;
}

/** Returns the function that says where an example comes from. Throws `dataset/*` for a folder that cannot be read. */
export async function provenanceOf(source: TrainingSource, license: string | undefined) {
  const { folder, plan, version } = source;
  const { rowOf, seedRowOf } = await rowsBehind(source);
  const dataset = basename(resolve(folder));
  const models = askedModels(plan);
  const shared = {
    protocols: [...new Set(models.map(({ protocol }) => protocol))],
    temperatures: Object.fromEntries(models.map((model) => [model.alias, temperatureOf(model)])),
    config: plan.fingerprint,
    generator: `data-designer ${version}`,
    ...(license === undefined ? {} : { license }),
  };
  const configured = [...new Set(models.map(({ model }) => model))];
  const blocks = (plan.attempts ?? []).map(({ name }) => name);
  return (example: Examples[ExampleKind], { row, index, values }: ExamplePlace): Provenance => {
    const named = modelsIn(example);
    const attempts = blocks.map((name) => [name, Number(values[`${name}__attempts`] ?? 0)] as const);
    const made = rowOf(row);
    const seedRow = made === null ? undefined : seedRowOf?.(made);
    return {
      uuid: uuidOf(`${plan.identity}\0${plan.seed}\0${made ?? `at ${row}`}\0${index}`),
      dataset,
      row,
      ...(seedRow === undefined ? {} : { seed_row: seedRow }),
      models: named.length > 0 ? named : configured,
      ...shared,
      ...(attempts.length > 0 ? { attempts: Object.fromEntries(attempts) } : {}),
    };
  };
}

/** The rows of the plan by their positions in a dataset, null where that is not known, and the rows of its seed by those. */
async function rowsBehind({ folder, plan, tables }: TrainingSource) {
  const rows = new DatasetRows(folder);
  await rows.refresh();
  const lost = new Set<number>();
  for await (const failure of readFailures(folder)) for (const row of lostRowsOf([failure])) lost.add(row);
  const planRows = new PlanRows(plan, rows, lost);
  const table = tables.find(({ id }) => id === SEED_TABLE);
  return {
    rowOf: (position: number) => planRows.at(position).planRow,
    seedRowOf: table && (await seedRows(table, plan.seed)),
  };
}

function modelsIn(example: Examples[ExampleKind]): readonly string[] {
  const { messages = [], chosen = [], rejected = [] } = example as MessageLists;
  return [
    ...new Set([...messages, ...chosen, ...rejected].flatMap(({ model }) => (model === undefined ? [] : [model]))),
  ];
}

/** The models that the columns of a plan ask. */
export function askedModels({ columns, models }: Pick<Plan, 'columns' | 'models'>): readonly PlannedModel[] {
  const asked = new Set(columns.flatMap(({ requires }) => requires.models));
  return Object.values(models).filter(({ alias }) => asked.has(alias));
}

/** The temperature of requests to a model; null where the config sets none. */
export function temperatureOf({ parameters }: PlannedModel): number | null {
  const { temperature } = fieldsOf(parameters);
  return typeof temperature === 'number' ? temperature : null;
}

/** A UUID of version 8 (RFC 9562) from the hash of a text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
