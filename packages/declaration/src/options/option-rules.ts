import { type Home, oneOf, type OptionRule, optionRule, type OptionRules } from '@data-designer/config';
import { LONGEST_SECONDS } from '@data-designer/core';
import type {
  CreateOptions,
  DataDesignerOptions,
  JoinRunOptions,
  Permissions,
  PreviewDatasetOptions,
  StopOptions,
  ValidateOptions,
} from '../data-designer-options.ts';
import type { RehearsalOptions } from '@data-designer/rehearsal';
import type { GivenProviders } from './given-providers.ts';
import {
  type ClusterSettings,
  type OptionsOf,
  optionsFor,
  type RunCall,
  type RunOption,
  runOptions,
  type ValueKind,
} from './run-options.ts';

const { amount, any, rows, text, flag, list, mapping, callback, signal } = optionRule;

const providersWithin: OptionRules<GivenProviders> = { models: list, tools: list, programs: list };
const permissionsWithin: OptionRules<Permissions> = { localFiles: flag, secrets: list, privateAddresses: flag };

export const providersRule = { ...mapping, within: providersWithin };

/** The rule of a time of at least this length. */
function secondsFrom(least: number): OptionRule {
  const fits = (value: unknown) => typeof value === 'number' && value >= least && value <= LONGEST_SECONDS;
  return { fits, kind: 'a time in seconds', remedy: `Use a number from ${least} to ${LONGEST_SECONDS}.` };
}

/** A home comes from `readHome`; only its names and lists are checked here. */
const homeWithin: OptionRules<Home> = {
  folder: any,
  models: { ...list, required: true },
  toolConfigs: { ...list, required: true },
  providers: { ...mapping, required: true },
  missing: any,
  warnings: any,
};
const homeRule = { ...mapping, within: homeWithin };

export const designerRules: OptionRules<DataDesignerOptions> = {
  artifactPath: text,
  providers: providersRule,
  home: homeRule,
  runConfig: mapping,
  permissions: { ...mapping, within: permissionsWithin },
  mediaRoots: list,
  prices: text,
  plugins: list,
  onWarning: callback,
};

export const stopRules: OptionRules<StopOptions> = { signal, drain: signal };

/** A shorter lease can be over while a machine only works: others would buy its answers again. */
const leaseRule = secondsFrom(1);

const clusterWithin: OptionRules<ClusterSettings> = {
  connection: { ...any, required: true },
  work: flag,
  leaseSeconds: leaseRule,
  leave: signal,
};

/** The rule of each kind of values. Only `planWorkflow` knows the names of stages. */
const RULES: Readonly<Record<ValueKind, (option: RunOption<unknown>) => OptionRule>> = {
  whole: () => rows,
  amount: () => amount,
  duration: () => secondsFrom(0),
  choice: ({ noun, words = [] }) => oneOf(noun, words.map(String)),
  flag: () => flag,
  text: ({ noun }) => ({ ...text, kind: noun }),
  path: ({ noun }) => ({ ...text, kind: noun }),
  names: () => any,
  pairs: () => mapping,
  cluster: () => ({ ...mapping, within: clusterWithin }),
};

/** The rules of the options that a call takes. */
export function rulesOf<Call extends RunCall>(call: Call): OptionRules<OptionsOf<Call>> {
  const taken = optionsFor(runOptions, ({ calls }) => calls.includes(call));
  return Object.fromEntries(taken.map(([name, one]) => [name, RULES[one.kind](one)])) as OptionRules<OptionsOf<Call>>;
}

export const validateRules: OptionRules<ValidateOptions> = rulesOf('validate');

export const previewRules: OptionRules<PreviewDatasetOptions> = {
  ...rulesOf('preview'),
  onEvent: callback,
  ...stopRules,
};

export const createRules: OptionRules<CreateOptions> = { ...rulesOf('create'), onEvent: callback, ...stopRules };

export const joinRules: OptionRules<JoinRunOptions> = {
  connection: { ...any, required: true },
  waitSeconds: secondsFrom(0),
  functions: mapping,
  onEvent: callback,
  ...stopRules,
};

/** The names of the options; `resolveRates` checks the values of the others. */
export const rehearsalRules: OptionRules<RehearsalOptions & StopOptions> = {
  numRecords: { ...any, remedy: rows.remedy, required: true },
  sampleRows: any,
  latency: any,
  tokensPerSecond: any,
  errorRate: any,
  passRate: any,
  outputTokens: any,
  withTools: flag,
  onEvent: callback,
  signal,
  drain: signal,
};
