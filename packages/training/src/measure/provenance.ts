import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { fieldsOf, type Plan, type PlannedModel, type Row } from '@data-designer/core';
import type { TrainingSource } from '../examples/training-source.ts';
import type { MessageLists } from '../express.ts';
import type { ExampleKind, Examples } from '../training-format.ts';

/** Where an example comes from, as a member of its record. */
export interface Provenance {
  /** The same for the same row of the same config, whenever it is exported. */
  readonly uuid: string;
  /** The name of the dataset. */
  readonly dataset: string;
  /** The position of the row in the dataset. */
  readonly row: number;
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

/** Returns the function that says where an example comes from. */
export function provenanceOf({ folder, plan, version }: TrainingSource, license: string | undefined) {
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
    return {
      uuid: uuidOf(`${plan.identity}\0${plan.seed}\0${row}\0${index}`),
      dataset,
      row,
      models: named.length > 0 ? named : configured,
      ...shared,
      ...(attempts.length > 0 ? { attempts: Object.fromEntries(attempts) } : {}),
    };
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
