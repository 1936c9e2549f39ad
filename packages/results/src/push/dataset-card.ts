import {
  type ColumnProfile,
  type CountedProfile,
  NOT_CALCULATED,
  percentOf,
  type TokenProfile,
} from '@data-designer/profile';
import type { Plan, PlannedModel } from '@data-designer/core';
import { packageVersion } from '@data-designer/declaration';
import type { UnverifiedRows } from '@data-designer/engine';
import { formatCount, formatPercent, pluralize } from '@data-designer/printing';
import { HUB } from '@data-designer/config';
import { configLines } from '@data-designer/dataset';
import { askedModels, temperatureOf } from '@data-designer/training';
import type { HubTarget } from './hub-target.ts';
import { patternsOf, type PushedTable } from './pushed-tables.ts';

/** The facts of a dataset card. */
interface CardFacts {
  readonly target: HubTarget;
  readonly description?: string | undefined;
  readonly tags?: readonly string[];
  readonly counted: CountedProfile;
  /** The columns of the records, traces and other side effects included. */
  readonly columns: number;
  readonly tables: readonly PushedTable[];
  readonly plan: Pick<Plan, 'columns' | 'models' | 'fingerprint'>;
  readonly unverified: readonly UnverifiedRows[];
}

/** The tags of the Python tool's cards. */
const TAGS = ['synthetic', 'datadesigner'];

/** The Hub's size categories, by their upper bounds. */
const SIZES: readonly (readonly [below: number, category: string])[] = [
  [1e3, 'n<1K'],
  [1e4, '1K<n<10K'],
  [1e5, '10K<n<100K'],
  [1e6, '100K<n<1M'],
  [1e7, '1M<n<10M'],
  [1e8, '10M<n<100M'],
  [1e9, '100M<n<1B'],
  [1e10, '1B<n<10B'],
  [1e11, '10B<n<100B'],
  [1e12, '100B<n<1T'],
];

/** The dataset card (`README.md`): metadata for the Hub, how to load the dataset, and the statistics of its columns. */
export function datasetCard(facts: CardFacts): string {
  const { target, counted, columns, tables, unverified } = facts;
  const { records, wanted } = counted;
  const description = facts.description?.trim();
  return `${[
    frontMatter(facts),
    `# ${titleOf(target.repoId)}`,
    description ? description : `A synthetic dataset of ${pluralize(records, 'record')}.`,
    '## Load the dataset',
    [
      '```python',
      'from datasets import load_dataset',
      '',
      ...tables.flatMap((table) => loadLine(target, table)),
      '```',
    ].join('\n'),
    ...(target.endpoint.origin === HUB ? [] : [`Set \`HF_ENDPOINT\` to \`${target.endpoint.origin}\` first.`]),
    '## Summary',
    [
      `- Records: ${formatCount(records)}`,
      `- Columns: ${formatCount(columns)}`,
      ...(records < wanted
        ? [`- Completion: ${percent(percentOf(records, wanted))} of ${formatCount(wanted)} records`]
        : []),
      ...unverified.map(unverifiedLine),
    ].join('\n'),
    '## Columns',
    columnTable(counted.columns),
    ...(counted.sideEffects.length === 0 ? [] : [`Further columns: ${counted.sideEffects.map(code).join(', ')}.`]),
    ['Columns by type:', '', ...columnTypes(counted.columns)].join('\n'),
    '## Provenance',
    [...askedModels(facts.plan).map(modelLine), `- Config: ${code(facts.plan.fingerprint)}`].join('\n'),
    '## About',
    `Made with Data Designer for TypeScript ${packageVersion()}. \`builder_config.json\` declares the columns, and \`metadata.json\` describes the files.`,
  ].join('\n\n')}\n`;
}

function unverifiedLine({ block, rows, of, until }: UnverifiedRows): string {
  const condition = until === null ? '' : `; verified rows fulfil ${code(until)}`;
  return `- Not verified: ${formatCount(rows)} of ${pluralize(of, 'row')}, of which ${code(block)} accepted no attempt${condition}`;
}

function modelLine(model: PlannedModel): string {
  const temperature = temperatureOf(model);
  const set = temperature === null ? '' : `, temperature ${temperature}`;
  return `- Model ${code(model.model)}: protocol ${model.protocol}${set}`;
}

/** YAML; a JSON string is a YAML string too. */
function frontMatter({ tags = [], counted, tables }: CardFacts): string {
  const [, size = 'n>1T'] = SIZES.find(([below]) => counted.records < below) ?? [];
  const loaded = tables.map((table) => {
    return { name: table.name, patterns: patternsOf(table), isDefault: table.processor === null };
  });
  return [
    '---',
    'size_categories:',
    `- ${size}`,
    'tags:',
    ...new Set([...TAGS, ...tags].map((tag) => `- ${JSON.stringify(tag)}`)),
    ...configLines(loaded),
    '---',
  ].join('\n');
}

function titleOf(repoId: string): string {
  const words = repoId
    .slice(repoId.indexOf('/') + 1)
    .split(/[-_.]+/)
    .filter((word) => word !== '');
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(' ');
}

function loadLine({ repoId, revision }: HubTarget, { name, processor }: PushedTable): string[] {
  const branch = revision === 'main' ? '' : `, revision=${JSON.stringify(revision)}`;
  const variable = processor === null ? 'dataset' : 'processed';
  return [`${variable} = load_dataset(${JSON.stringify(repoId)}, ${JSON.stringify(name)}, split="train"${branch})`];
}

function columnTable(columns: readonly ColumnProfile[]): string {
  const rows = columns.map((column) => [
    code(column.name),
    code(column.dataType),
    column.columnType,
    figure(column.unique, column.records),
    figure(column.nulls, column.records),
    detailsOf(column),
  ]);
  const lines = [['Column', 'Type', 'Column type', 'Unique', 'Null', 'Details'], Array<string>(6).fill('---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Tokens of an answer and its prompt, the sampler, or the share of valid records. */
function detailsOf({ inputTokens, outputTokens, samplerType, valid, records }: ColumnProfile): string {
  if (outputTokens !== undefined) return `Tokens: ${meanOf(outputTokens)} out / ${meanOf(inputTokens)} in`;
  if (samplerType !== undefined) return samplerType;
  return valid === undefined ? '-' : `${percent(percentOf(valid, records))} valid`;
}

function meanOf(tokens: TokenProfile | typeof NOT_CALCULATED | undefined): string {
  return typeof tokens === 'object' ? formatCount(tokens.mean) : 'unknown';
}

/** A count with its share; a figure that could not be calculated has none. */
function figure(count: number | typeof NOT_CALCULATED, records: number): string {
  return count === NOT_CALCULATED ? 'unknown' : `${formatCount(count)} (${percent(percentOf(count, records))})`;
}

function percent(share: number | typeof NOT_CALCULATED): string {
  return share === NOT_CALCULATED ? 'unknown' : formatPercent(share);
}

function columnTypes(columns: readonly ColumnProfile[]): string[] {
  const counts = new Map<string, number>();
  for (const { columnType } of columns) counts.set(columnType, (counts.get(columnType) ?? 0) + 1);
  return [...counts].map(([type, count]) => `- ${type}: ${formatCount(count)}`);
}

/** A name as a code span that stays within a cell of a table. */
function code(text: string): string {
  const shown = text.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`);
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}
