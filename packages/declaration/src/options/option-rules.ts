import { type Home, oneOf, type OptionRule, optionRule, type OptionRules } from '@data-designer/config';
import { LONGEST_SECONDS } from '@data-designer/core';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';
import type {
  ClusterSettings,
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

const { any, rows, text, flag, list, mapping, callback, signal } = optionRule;

const providersWithin: OptionRules<GivenProviders> = { models: list, tools: list };
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

export const validateRules: OptionRules<ValidateOptions> = { numRecords: rows };

export const fileRule = { ...text, kind: 'a path' };

export const previewRules: OptionRules<PreviewDatasetOptions> = {
  numRecords: rows,
  onEvent: callback,
  callLog: fileRule,
  ...stopRules,
};

/** A shorter lease can be over while a machine only works: others would buy its answers again. */
const leaseRule = secondsFrom(1);

const clusterWithin: OptionRules<ClusterSettings> = {
  connection: { ...any, required: true },
  work: flag,
  leaseSeconds: leaseRule,
  leave: signal,
};

export const clusterRule = { ...mapping, within: clusterWithin };

export const createRules: OptionRules<CreateOptions> = {
  cluster: clusterRule,
  numRecords: rows,
  datasetName: { ...text, kind: 'a folder name' },
  resume: oneOf('a resume mode', ['never', 'always', 'if_possible']),
  reRequest: flag,
  retryLost: flag,
  format: oneOf('a dataset format', EXPORT_FORMATS),
  onEvent: callback,
  callLog: fileRule,
  ...stopRules,
};

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
