import { columnTypes } from '@data-designer/columns';
import { ColumnRegistry, parseDataset, parseRunConfig } from '@data-designer/config';
import type { Plan } from '@data-designer/core';
import { compile, type CompileOptions } from '../src/compile/compile.ts';

/** The column types, processors and samplers that come with the tool. */
export const registry = new ColumnRegistry(columnTypes);

/** How a document is compiled: the options of `compile` that differ from their defaults, and run settings. */
export interface PlanOptions extends Partial<Omit<CompileOptions, 'runConfig'>> {
  /** Run settings in either spelling; the seed is 1 unless given. */
  readonly run?: object;
}

/** The plan of a config document that has no mistakes. */
export function planOf(document: object, { run = {}, ...options }: PlanOptions = {}): Plan {
  const { config, violations } = parseDataset(document, registry);
  const [violation] = violations;
  if (violation) throw new Error(`${violation.path}: ${violation.message}`);
  const runConfig = parseRunConfig({ seed: 1, ...run }, 'The test');
  return compile(config, { registry, numRecords: 10, modelProviders: [], knownTools: [], ...options, runConfig });
}

/** A sampled column; `params` of its sampler, with further keys of the column beside them. */
export function sampled(name: string, samplerType: string, { params, ...rest }: { params: object }): object {
  return { name, column_type: 'sampler', sampler_type: samplerType, params, ...rest };
}

/** A column that a template makes. */
export function expression(name: string, expr: string, rest: object = {}): object {
  return { name, column_type: 'expression', expr, ...rest };
}
