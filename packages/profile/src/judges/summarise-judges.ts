import type { Plan, PlannedProfiler } from '@data-designer/core';
import { withBoundedDuckDb } from '@data-designer/seeds/duck-db';
import type { UsageByAlias } from '@data-designer/dataset';
import { NOT_CALCULATED, type ScoreProfile } from '../dataset-profile.ts';
import { scoredSql } from '../columns/judge-profile.ts';
import { sampleJudgements } from './judge-sample.ts';
import {
  requestSummaries,
  type Summary,
  summaryKey,
  type SummaryOptions,
  summaryPrompt,
  type SummaryRequest,
} from './judge-summary.ts';
import type { CountedProfile } from '../profile-dataset.ts';
import { ProfiledTable } from '../table/profiled-table.ts';

/** Memory for reading reasons. */
const MEGABYTES = 1024;

/** The rows that judgements are read from, and the summaries of an earlier profile. */
export interface JudgedRows {
  readonly plan: Plan;
  readonly files: readonly string[];
  readonly folder: string;
  readonly stored: Readonly<Record<string, Summary>>;
}

/** A profile with summaries of its judgements. */
export interface SummarisedProfile {
  readonly profile: CountedProfile;
  /** The successful summaries, by `summaryKey`. */
  readonly summaries: Readonly<Record<string, Summary>>;
  readonly usage: UsageByAlias;
}

/** Asks models for the summaries that the plan wants and that are not stored yet. Throws `run/aborted`. */
export async function summariseJudges(
  profile: CountedProfile,
  rows: JudgedRows,
  options: SummaryOptions,
): Promise<SummarisedProfile> {
  const requests = await requestsFor(profile, rows);
  const wanted = requests.filter((request) => rows.stored[summaryKey(request)] === undefined);
  const { summaries: answered, usage } =
    wanted.length > 0 ? await requestSummaries(rows.plan, wanted, options) : { summaries: [], usage: {} };
  const all: Record<string, Summary> = { ...rows.stored };
  for (const [at, summary] of answered.entries()) {
    const request = wanted[at];
    if (request) all[summaryKey(request)] = summary;
  }
  const summaryOf = ({ column, score }: ScoreProfile) => {
    const request = requests.find((one) => one.column === column && one.score === score);
    return request && all[summaryKey(request)];
  };
  const judges = profile.judges.map((judge) => ({
    ...judge,
    scores: judge.scores.map((score) => {
      const summary = summaryOf(score);
      return summary ? { ...score, summary: summary.text, isSummaryFailed: summary.isFailed } : score;
    }),
  }));
  const summaries = Object.fromEntries(Object.entries(all).filter(([, { isFailed }]) => !isFailed));
  return { profile: { ...profile, judges }, summaries, usage };
}

/** A request for each score that could be read, for the first profiler that wants summaries. */
async function requestsFor({ judges }: CountedProfile, rows: JudgedRows): Promise<readonly SummaryRequest[]> {
  const { plan, files, folder } = rows;
  const profiler = plan.profilers?.find(({ sampleSize }) => sampleSize !== null);
  if (!profiler || judges.length === 0) return [];
  return withBoundedDuckDb({ folder, megabytes: MEGABYTES }, async (connection) => {
    const table = await ProfiledTable.open(connection, files);
    const requests: SummaryRequest[] = [];
    for (const score of judges.flatMap(({ scores }) => scores)) {
      const request = await table.calculated(() => requestFor(table, score, { plan, profiler }));
      if (request !== NOT_CALCULATED && request) requests.push(request);
    }
    return requests;
  });
}

async function requestFor(
  table: ProfiledTable,
  { column, score, distribution }: ScoreProfile,
  { plan, profiler }: { readonly plan: Plan; readonly profiler: PlannedProfiler },
): Promise<SummaryRequest | undefined> {
  const field = plan.fields.find(({ name }) => name === column);
  if (!field || distribution === NOT_CALCULATED || distribution.records === 0) return undefined;
  const judgements = await sampleJudgements(table, {
    scored: scoredSql(field, score),
    records: distribution.records,
    size: profiler.sampleSize ?? 0,
    name: `${column}/${score}`,
  });
  return { profiler, column, score, prompt: summaryPrompt(score, distribution, judgements) };
}
