import { Random } from '@data-designer/core';
import { SAMPLE_SEED, samplePositions } from '../table/sample-rows.ts';
import type { ProfiledTable } from '../table/profiled-table.ts';

/** A sample is drawn from at most this many judgements, themselves drawn at random. */
const MAX_JUDGEMENTS = 10_000;

/** A model sees this much of a reason. */
const REASON_CHARACTERS = 2000;

/** A score and the reason for it. */
export interface Judgement {
  readonly score: string;
  readonly reasoning: string;
}

interface PlacedScore {
  readonly position: number;
  readonly score: string;
}

/** The judgements to sample. */
export interface JudgementSample {
  /** SQL of the cells of a score. */
  readonly scored: string;
  readonly records: number;
  readonly size: number;
  /** The address of the draws. */
  readonly name: string;
}

/**
 * All judgements of a score if they fit the sample; else one of each of the most frequent scores, if there are enough
 * different ones; else a weighted draw in which frequent scores are likelier (as in NeMo Data Designer).
 */
export async function sampleJudgements(table: ProfiledTable, sample: JudgementSample): Promise<readonly Judgement[]> {
  const { scored, records, size } = sample;
  const placed = await placedScores(table, sample);
  const chosen = records <= size ? placed : choose(placed, sample);
  const positions = chosen.map(({ position }) => position).toSorted((a, b) => a - b);
  if (positions.length === 0) return [];
  const rows = await table.rows(
    `SELECT score, left(reasoning, ${REASON_CHARACTERS}) FROM ${scored} WHERE position IN (${positions.join()}) ORDER BY position`,
  );
  return rows.map(([score, reasoning]) => ({ score: String(score), reasoning: String(reasoning) }));
}

async function placedScores(table: ProfiledTable, { scored, records }: JudgementSample): Promise<PlacedScore[]> {
  const among = records <= MAX_JUDGEMENTS ? '' : `WHERE at IN (${samplePositions(records, MAX_JUDGEMENTS).join()})`;
  const numbered = `SELECT row_number() OVER (ORDER BY position) - 1 AS at, position, score FROM ${scored}`;
  const rows = await table.rows(`SELECT position, score FROM (${numbered}) ${among} ORDER BY position`);
  return rows.map(([position, score]) => ({ position: Number(position), score: String(score) }));
}

/** Takes the rows with the largest draws; raising a draw to 1/weight favours rows of more weight. */
function choose(placed: readonly PlacedScore[], { size, name }: JudgementSample): readonly PlacedScore[] {
  const counts = new Map<string, number>();
  for (const { score } of placed) counts.set(score, (counts.get(score) ?? 0) + 1);
  const random = Random.of(SAMPLE_SEED, name);
  const drawn = placed
    .map((one) => ({ one, draw: random.at(one.position).float() ** (1 / (counts.get(one.score) ?? 1)) }))
    .toSorted((a, b) => b.draw - a.draw);
  if (counts.size < size) return drawn.slice(0, size).map(({ one }) => one);
  const frequent = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, size);
  return frequent.flatMap(([score]) => drawn.find(({ one }) => one.score === score)?.one ?? []);
}
