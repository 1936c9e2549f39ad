import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type ArrowField,
  DataDesignerError,
  type FieldPath,
  type TemplateEngine,
  type Violation,
} from '@data-designer/core';
import { minHashRecall } from '@data-designer/select';
import type { ColumnRegistry } from '../column-registry.ts';
import { locate } from '../locate.ts';
import { parseDataset } from '../parse-dataset.ts';
import type { SelectConfig } from '../schemas/select-config.ts';
import { findTable } from '../seed/local-seed.ts';
import type { SeedCheckOptions } from '../seed/seed-kind.ts';
import { LOCAL_FILE_REFUSED } from './check-seed.ts';
import { checkAmounts } from './check-select-amounts.ts';
import { checkTogether } from './check-select-groups.ts';
import { checkWhere } from './check-where.ts';
import { addAt, type Check, has, runError, suggest } from './check.ts';

/** Checks that a selection reads columns that exist, and that can be compared. */
export function checkSelect(check: Check, permissions: SeedCheckOptions): void {
  const { select } = check.config;
  if (!select) return;
  checkWhere(check, select);
  (select.unique ?? []).forEach((rule, index) => {
    const path: FieldPath = ['select', 'unique', index];
    if ('embedding' in rule) checkEmbedding(check, rule.embedding, [...path, 'embedding']);
    else {
      const [key, names] = 'exact' in rule ? ['exact', rule.exact] : ['minhash', rule.minhash];
      names.forEach((name, at) => checkColumn(check, name, [...path, key, at]));
      if ('minhash' in rule) checkRecall(check, rule.threshold, [...path, 'threshold']);
    }
  });
  if (select.notIn) checkColumn(check, select.notIn.column, ['select', 'notIn', 'column']);
  if (select.balance) checkColumn(check, select.balance.column, ['select', 'balance', 'column']);
  checkAmounts(check, select);
  checkAgainst(check, select);
  checkFiles(check, select, permissions);
  checkTogether(check, select);
}

function checkColumn(check: Check, name: string, path: FieldPath): void {
  if (has(check, name)) return;
  addAt(check, path, runError('unknown_column', `there is no column '${name}'.`, suggest(check, name)));
}

/** A threshold that finds fewer of the duplicates than this is refused. */
const LEAST_RECALL = 0.95;

function checkRecall(check: Check, threshold: number, path: FieldPath): void {
  const recall = minHashRecall(threshold);
  if (recall >= LEAST_RECALL) return;
  let least = Math.ceil(threshold * 100);
  while (minHashRecall(least / 100) < LEAST_RECALL) least++;
  const message = `a threshold of ${threshold} would find only ${Math.floor(recall * 100)} % of the pairs that are as similar.`;
  addAt(check, path, runError('low_recall', message, `Use a threshold of at least ${least / 100}.`));
}

function checkEmbedding(check: Check, name: string, path: FieldPath): void {
  checkColumn(check, name, path);
  const known = check.typed.get(name);
  if (!known || isVector(known)) return;
  const embeddings = [...check.typed.values()].filter(isVector).map((one) => one.name);
  const message = `the column '${name}' holds no embeddings.`;
  const remedy =
    embeddings.length > 0 ? `Use ${embeddings.join(' or ')}.` : 'Declare an embedding column, and name it.';
  addAt(check, path, runError('not_an_embedding', message, remedy));
}

/** An embedding is a list of numbers, as in a seed, or the vectors that an embedding column writes. */
function isVector({ type }: Pick<ArrowField, 'type'>): boolean {
  if (typeof type === 'string') return false;
  if ('list' in type) return type.list === 'float64' || isVector({ type: type.list });
  return 'struct' in type && type.struct.some((member) => member.name === 'embeddings' && isVector(member));
}

function checkAgainst(check: Check, { unique, uniqueAgainst }: SelectConfig): void {
  if ((uniqueAgainst ?? []).length === 0 || (unique ?? []).length > 0) return;
  const message = "'unique_against' has no effect without rules in 'unique'.";
  const remedy = 'Add a rule, as in unique: [{ exact: [question] }].';
  addAt(check, ['select', 'uniqueAgainst'], runError('unused_key', message, remedy));
}

/** Checks that the named files and folders exist. */
function checkFiles(check: Check, { notIn, uniqueAgainst }: SelectConfig, permissions: SeedCheckOptions): void {
  const { localFiles } = permissions;
  // The seed of a stage has a folder of its own.
  const folder = process.cwd();
  (notIn?.files ?? []).forEach((path, index) => {
    const at: FieldPath = ['select', 'notIn', 'files', index];
    const table = findTable(path, folder);
    if (!localFiles) addAt(check, at, LOCAL_FILE_REFUSED);
    else if (!('files' in table)) addAt(check, at, runError('benchmark_missing', table.message, table.remedy));
  });
  (uniqueAgainst ?? []).forEach((path, index) => {
    const at: FieldPath = ['select', 'uniqueAgainst', index];
    if (!localFiles) return addAt(check, at, LOCAL_FILE_REFUSED);
    if (existsSync(resolve(folder, path, 'parquet-files'))) return;
    const message = `there is no dataset in ${resolve(folder, path)}.`;
    addAt(check, at, runError('dataset_missing', message, 'Correct the path of the dataset folder.'));
  });
}

/** The finished dataset that rules are for. */
export interface SelectedTable {
  /** Its columns, dropped ones included if the dataset stores them. */
  readonly fields: readonly ArrowField[];
  readonly templates: TemplateEngine;
  readonly registry: ColumnRegistry;
}

/** Parses the rules for the rows of a finished dataset, as they stand under the key `select`; throws `config/invalid`. */
export function parseSelect(rules: unknown, { fields, templates, registry }: SelectedTable): SelectConfig {
  const document = { columns: [], select: rules };
  const parsed = parseDataset(document, registry);
  const { config } = parsed;
  const found: Violation[] = parsed.violations.filter(({ path }) => /^select\b/.test(path));
  const names = new Set(fields.map(({ name }) => name));
  const check: Check = {
    parsed,
    config,
    registry,
    facts: [],
    providers: undefined,
    rows: undefined,
    templates,
    constraints: [],
    knownTools: [],
    passesSeedOn: true,
    seedColumns: new Set(),
    addedFirst: new Set(),
    typed: new Map(fields.map((field) => [field.name, field])),
    columnNames: names,
    names,
    unreadNames: new Set(),
    found,
    told: new Set(),
  };
  checkSelect(check, { folder: process.cwd(), localFiles: true, secrets: [] });
  const violations = found.filter(({ level }) => level === 'ERROR');
  if (violations.length === 0 && config.select) return config.select;
  throw new DataDesignerError('config/invalid', { source: 'The selection', violations: locate(violations, document) });
}
