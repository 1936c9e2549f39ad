import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalJson, ColumnRegistry, factsOf, loadDocument, parseDataset } from '@data-designer/config';
import { columnTypes } from '@data-designer/columns';
import { conformance, readRows } from './read-rows.ts';
// From source, as are the documents it is given: the published package knows its own class of floats only.
import { type ConfigReport, DataDesigner } from '../../packages/data-designer/src/index.ts';

interface ConfigRow {
  readonly file: string;
  readonly valid: boolean;
  readonly stage?: 'load' | 'validate';
  readonly violations: readonly { readonly type: string; readonly level: string; readonly column: string | null }[];
  readonly error_paths?: readonly string[];
  readonly normalized?: unknown;
  readonly fingerprint?: string;
  readonly columns?: readonly { name: string; required: readonly string[]; side_effects: readonly string[] }[];
}

const rows = readRows<ConfigRow>('configs.jsonl');
const folder = join(conformance, 'configs');

/** Reports a config as `validate --json` does; one that cannot be read has nothing but that. */
async function report(file: string): Promise<ConfigReport | undefined> {
  await using designer = new DataDesigner();
  try {
    return await designer.check({ document: loadDocument(join(conformance, file)), source: file, folder });
  } catch {
    return undefined;
  }
}

const loads = ({ stage }: ConfigRow) => stage !== 'load';

test.each(rows.filter((row) => !loads(row)))('$file does not load', async ({ file, error_paths: paths }) => {
  const found = await report(file);
  expect(stageOf(found)).toBe('load');
  expect(!found || !paths || paths.some((path) => names(found, path))).toBe(true);
});

test.each(rows.filter(loads))('$file', { tags: 'long' }, async (row) => {
  const found = await report(row.file);
  expect({ valid: found?.valid, stage: stageOf(found) }).toEqual({ valid: row.valid, stage: row.stage });
  const validated = found?.violations.filter(({ stage }) => stage === 'validate') ?? [];
  // A collision with seed columns is an error of another class there, and has no finding.
  const compared = validated.filter(({ type }) => type !== 'seed_column_collision');
  const named = compared.map(({ columnName, ...one }) => ({ ...one, column: columnName }));
  expect(named.map(told).toSorted()).toEqual(row.violations.map(told).toSorted());
  expect(canonicalJson(found?.normalized)).toBe(canonicalJson(row.normalized));
  expect(found?.fingerprint).toBe(row.fingerprint);
});

const told = ({ type, level, column }: ConfigRow['violations'][number]) => `${level} ${type} ${column}`;

/** What a column needs and makes; what samplers read of each other is not listed in the facts. */
test.each(rows.filter(({ columns }) => columns))('$file: references', ({ file, columns = [] }) => {
  const registry = new ColumnRegistry(columnTypes);
  const { config } = parseDataset(loadDocument(join(conformance, file)), registry);
  const facts = config.columns.map((column) => factsOf(column, registry));
  const seen = facts.map(({ column, type, references, writes }) => ({
    name: column.name,
    required:
      'fill' in type
        ? []
        : [...new Set(references.filter(({ optional }) => !optional).map(({ name }) => name))].toSorted(),
    side_effects: writes.map(({ name }) => name).filter((name) => name !== column.name),
  }));
  expect(seen).toEqual(columns);
});

function stageOf(found: ConfigReport | undefined): string | undefined {
  if (!found) return 'load';
  const stages = found.violations.filter(({ level }) => level === 'ERROR').map(({ stage }) => stage);
  return stages.includes('load') ? 'load' : stages.includes('validate') ? 'validate' : undefined;
}

/** Whether a finding names a place, one inside it, or the one just above it. */
function names({ violations }: ConfigReport, expected: string): boolean {
  const wanted = expected === '(top)' ? '' : expected;
  return violations.some(({ path }) => {
    const place = path.replace(/\[(\d+)\]/g, '.$1').replace(/^data_designer\.?/, '');
    const above = wanted.slice(0, Math.max(0, wanted.lastIndexOf('.')));
    return place === wanted || place.startsWith(wanted) || place === above;
  });
}
