import {
  type ArrowField,
  type CellValue,
  Float,
  type Plan,
  type PlannedColumn,
  stringifyJson,
} from '@data-designer/core';
import type { ColumnRegistry } from '@data-designer/config';
import { histogramOf, medianOf } from '../columns/number-profile.ts';
import { countTokens } from './count-tokens.ts';
import type { ColumnProfile, TokenProfile } from '../dataset-profile.ts';
import { openingRenderer } from './render-opening.ts';
import { sampleRows } from '../table/sample-rows.ts';
import type { SampledRow, TableStatistics } from '../table/table-statistics.ts';

/** At most this many records have their prompts rendered again (as in NeMo Data Designer). */
const PROMPTS = 1000;
/** At most this many records have their answers counted. */
const ANSWERS = 10_000;
/** At most this many characters of prompts, and of answers, are counted: some seconds of work. */
const MAX_CHARACTERS = 8_000_000;

/** What counting tokens needs. */
export interface TokenParts {
  readonly plan: Plan;
  readonly registry: ColumnRegistry;
}

/** Whether a column asks a model for text. */
export function usesModel({ config, requires }: PlannedColumn): boolean {
  return 'prompt' in config && 'systemPrompt' in config && requires.models.length > 0;
}

/** The tokens of a column's prompts and answers. */
export async function profileTokens(
  statistics: TableStatistics,
  column: PlannedColumn,
  parts: TokenParts,
): Promise<Pick<ColumnProfile, 'inputTokens' | 'outputTokens'>> {
  const own = parts.plan.fields.filter(({ name }) => name === column.name);
  const outputTokens = await statistics.calculated(async () => {
    const sampled = await sampleRows(statistics, { size: ANSWERS, characters: MAX_CHARACTERS, fields: own });
    const texts = sampled.flatMap(({ row }) => textsOf(row[column.name]));
    return tokensOf(texts, { isSample: true });
  });
  const inputTokens = await statistics.calculated(() => countInput(statistics, column, parts));
  return { inputTokens, outputTokens };
}

async function countInput(
  statistics: TableStatistics,
  column: PlannedColumn,
  { plan, registry }: TokenParts,
): Promise<TokenProfile> {
  const fields = column.reads.map((name) => plan.fields.find((field) => field.name === name));
  const render = openingRenderer(column, plan, registry);
  if (!render || !areKnown(fields)) throw new TypeError(`The prompts of '${column.name}' cannot be rendered again.`);
  const sampled =
    fields.length === 0
      ? [{ position: 0, row: {} }]
      : await sampleRows(statistics, { size: PROMPTS, characters: MAX_CHARACTERS, fields });
  const openings = await Promise.all(sampled.map(({ row, position }: SampledRow) => render(row, position)));
  const asked = openings.filter((opening) => opening !== undefined);
  // NeMo Data Designer counts the empty line even without a system prompt.
  const texts = asked.map(({ system, prompt }) => `${system ?? ''}\n\n${prompt}`);
  return tokensOf(texts, { isSample: false });
}

function areKnown(fields: readonly (ArrowField | undefined)[]): fields is readonly ArrowField[] {
  return fields.every((field) => field !== undefined);
}

/** A cell as text or as JSON; nothing for a null cell. */
function textsOf(value: CellValue | undefined): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return [value];
  return [value instanceof Float ? String(value) : stringifyJson(value)];
}

async function tokensOf(all: readonly string[], { isSample }: { readonly isSample: boolean }): Promise<TokenProfile> {
  const texts = within(all, MAX_CHARACTERS);
  if (texts.length === 0) throw new TypeError('There is no text to count.');
  const counts = (await countTokens(texts)).toSorted((a, b) => a - b);
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const squares = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0);
  const freedom = counts.length - (isSample ? 1 : 0);
  return {
    mean,
    median: medianOf(counts),
    stddev: freedom > 0 ? Math.sqrt(squares / freedom) : null,
    records: counts.length,
    histogram: histogramOf(counts),
  };
}

/** Every nth text, so that the texts have at most this many characters. */
function within(texts: readonly string[], characters: number): readonly string[] {
  const all = texts.reduce((sum, { length }) => sum + length, 0);
  const step = Math.ceil(all / characters);
  return step <= 1 ? texts : texts.filter((_, index) => index % step === 0);
}
