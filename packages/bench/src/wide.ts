import { columnTypes } from '@data-designer/columns';
import { checkDataset, ColumnRegistry, fingerprintOf, parseDataset, parseRunConfig } from '@data-designer/config';
import { compile, preparePlan } from '@data-designer/engine';
import type { BenchRow } from './spine.ts';

const SMALL = 2000;
const LARGE = 20_000;

type Column = Readonly<Record<string, unknown>>;

const sampled = (at: number): Column => {
  return { name: `c${at}`, column_type: 'sampler', sampler_type: 'uniform', params: { low: 0, high: 1 } };
};
const expression = (at: number, expr: string): Column => ({ name: `c${at}`, column_type: 'expression', expr });
const written = (at: number, prompt: string): Column => {
  return { name: `c${at}`, column_type: 'llm-text', model_alias: 'm', prompt };
};

/** Configs of so many columns that refer to each other in different ways. */
const SHAPES: Readonly<Record<string, (columns: number) => { readonly columns: readonly Column[] }>> = {
  'samplers, independent': (columns) => ({ columns: listed(columns, sampled) }),
  'expressions, a chain': (columns) => ({ columns: listed(columns, (at) => chained(at, expression)) }),
  'expressions, a chain declared backwards': (columns) => ({
    columns: listed(columns, (at) => chained(at, expression)).toReversed(),
  }),
  'LLM texts, a chain': (columns) => ({ columns: listed(columns, (at) => chained(at, written)) }),
  'LLM texts, a star': (columns) => ({
    columns: listed(columns, (at) => (at === 0 ? sampled(0) : written(at, 'Of {{ c0 }}.'))),
  }),
  'every column dropped by name, and constrained': (columns) => ({
    columns: [...listed(columns, sampled), expression(columns, '{{ c0 }}')],
    processors: [{ name: 'd', processor_type: 'drop_columns', column_names: listed(columns, (at) => `c${at}`) }],
    constraints: listed(columns - 1, (at) => {
      return { constraint_type: 'column_inequality', target_column: `c${at + 1}`, operator: 'lt', rhs: `c${at}` };
    }),
  }),
  'every name unknown': (columns) => ({ columns: listed(columns, (at) => expression(at, `{{ none${at} }}`)) }),
  'every name declared twice': (columns) => ({ columns: listed(columns, (at) => sampled(at % (columns / 2))) }),
};

function listed<Item>(length: number, item: (at: number) => Item): Item[] {
  return Array.from({ length }, (_, at) => item(at));
}

function chained(at: number, make: (at: number, template: string) => Column): Column {
  return at === 0 ? sampled(0) : make(at, `After {{ c${at - 1} }}.`);
}

const registry = new ColumnRegistry(columnTypes);

/** What configs with very many columns cost before a run: CPU of reading and checking, of compiling, and of a thread. */
export function wide(): Promise<readonly BenchRow[]> {
  for (const shape of Object.values(SHAPES)) measured(shape(SMALL));
  const rows = Object.entries(SHAPES).map(([what, shape]) => {
    const small = measured(shape(SMALL));
    const large = measured(shape(LARGE));
    const figures = Object.entries(large).flatMap(([step, ms]) => [
      [`ms ${step} ${SMALL}`, small[step] ?? 0],
      [`ms ${step} ${LARGE}`, ms],
    ]);
    return { what, figures: Object.fromEntries(figures) as Record<string, number> };
  });
  return Promise.resolve(rows);
}

/** The CPU of each step, in ms; a config with mistakes is not compiled. */
function measured(dataset: object): Record<string, number> {
  const model = { alias: 'm', model: 'any', provider: 'there' };
  const steps: Record<string, number> = {};
  const timed = <Result>(step: string, work: () => Result): Result => {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    steps[step] = (user + system) / 1000;
    return result;
  };
  const { parsed, violations } = timed('checking', () => {
    const read = parseDataset({ model_configs: [model], ...dataset }, registry);
    fingerprintOf(read.config, registry);
    return { parsed: read, violations: checkDataset(read, { registry }) };
  });
  if (violations.some(({ level }) => level === 'ERROR')) return steps;
  const runConfig = parseRunConfig({}, 'The bench');
  const options = { registry, numRecords: 10, runConfig, modelProviders: [], knownTools: [] };
  const plan = timed('compiling', () => compile(parsed.config, options));
  timed('preparing', () => preparePlan(plan, registry));
  return steps;
}
