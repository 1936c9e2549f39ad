import { z } from 'zod';
import { camelCase, snakeCase } from '@data-designer/config';
import {
  DEFAULT_ROWS,
  flaggedSettings,
  givenOptions,
  optionsFor,
  type OptionTable,
  type RunOption,
  runOptions,
  type ValueKind,
  type ValuesOf,
} from '@data-designer/declaration';

type Parameters = Readonly<Record<string, z.ZodType>>;

const SCHEMAS: Readonly<Record<ValueKind, (option: RunOption<unknown>) => z.ZodType>> = {
  whole: ({ least = 0 }) => z.int().min(least),
  amount: () => z.number().positive(),
  duration: () => z.number().positive(),
  choice: ({ words = [] }) => z.enum(words.map(String)),
  flag: () => z.boolean(),
  text: () => z.string().min(1).max(100),
  path: () => z.string().min(1),
  names: () => z.array(z.string()),
  pairs: () => z.record(z.string(), z.string()),
  cluster: () => z.record(z.string(), z.unknown()),
};

function isForClients({ forClients = false }: RunOption<unknown>): boolean {
  return forClients;
}

/** The parameters of the options that clients may give. */
function parametersOf(table: OptionTable): Parameters {
  const given = optionsFor(table, isForClients);
  return Object.fromEntries(given.map(([name, option]) => [snakeCase(name), parameterOf(option)]));
}

function parameterOf(option: RunOption<unknown>): z.ZodType {
  const schema = SCHEMAS[option.kind](option);
  const described = option.preset === undefined ? schema.optional() : schema.default(option.preset);
  return described.describe(textForClients(option));
}

/** A text of the table with the parameters of the options that it names. */
function textForClients({ text, texts }: RunOption<unknown>): string {
  return `${(texts?.mcp ?? text).replaceAll(/`(\w+)`/g, (_, name: string) => snakeCase(name))}.`;
}

/** The parameters of every tool that makes records. */
export const settingParameters = parametersOf(flaggedSettings);

/** The parameters of the tool that starts a dataset. */
export const datasetParameters = parametersOf(runOptions);

/** The options and run settings among the arguments of a client. */
export function readArguments(given: Readonly<Record<string, unknown>>): {
  readonly options: ValuesOf<typeof runOptions>;
  readonly settings: ValuesOf<typeof flaggedSettings>;
} {
  const named = Object.fromEntries(Object.entries(given).map(([name, value]) => [camelCase(name), value]));
  return {
    options: givenOptions(runOptions, named, isForClients),
    settings: givenOptions(flaggedSettings, named, isForClients),
  };
}

/** The maximum wait of a call: clients commonly give up after 60 seconds. */
const MAX_WAIT_SECONDS = 50;

/** The parameter for the wait until a dataset is complete. */
export const waitSeconds = z
  .number()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(20)
  .describe('Seconds to wait for the end; then the progress is returned.');

/** The parameter for the number of records, at most `most` and `usual` by default. */
export function numRecords(most: number, usual: number = DEFAULT_ROWS): z.ZodDefault<z.ZodInt> {
  const text = textForClients(runOptions.numRecords);
  return z.int().min(1).max(most).default(Math.min(usual, most)).describe(text);
}
