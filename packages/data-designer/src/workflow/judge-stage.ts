import { existsSync } from 'node:fs';
import { SEED_TABLE } from '@data-designer/core';
import type { ResumeMode } from '../data-designer-options.ts';
import type { PreparedInput } from './stage-input.ts';
import type { CompiledStage } from './stage-maker.ts';
import { contentOf } from './stage-output.ts';
import type { StageIdentity, StageRecord } from './workflow-metadata.ts';

/** What to do with a stage. */
export type Verdict =
  | { readonly action: 'make' | 'reuse' | 'continue' }
  /** Its folder gets another name first. */
  | { readonly action: 'replace'; readonly reason: string };

/** What a stage would be made from now. */
export async function identityOfStage(
  { plan, tables }: Pick<CompiledStage, 'plan' | 'tables'>,
  input: PreparedInput | undefined,
  { rows, seed }: { readonly rows: number; readonly seed: number | null },
): Promise<StageIdentity> {
  return { config: plan.identity, rows, input: input?.content ?? (await ownSeed(tables)), seed };
}

/** The content of the seed that a first stage declares; empty without one. */
async function ownSeed(tables: CompiledStage['tables']): Promise<string> {
  const source = tables.find(({ id }) => id === SEED_TABLE)?.rows;
  if (!source) return '';
  if (source.files.length > 0) return contentOf(source.files.map(({ path }) => path));
  return source.hash ? source.hash() : (source.revision ?? '');
}

/** Compares a stage with its record. */
export function judgeStage(
  record: StageRecord | undefined,
  now: StageIdentity,
  { folder, isForced }: { readonly folder: string; readonly isForced: boolean },
): Verdict {
  if (!existsSync(folder)) return { action: 'make' };
  if (!record) return { action: 'replace', reason: 'workflow-metadata.json does not record it' };
  if (isForced) return { action: 'replace', reason: 'rerunFrom makes it again' };
  const was = record.identity;
  const reason = changeOf(was, now);
  if (reason !== undefined) return { action: 'replace', reason };
  const isComplete = record.status === 'completed' || record.status === 'completed_empty';
  return { action: isComplete && was.rows === now.rows ? 'reuse' : 'continue' };
}

/** Why a stage must be made again; more rows are added to those that it has. */
function changeOf(was: StageIdentity, now: StageIdentity): string | undefined {
  if (was.config !== now.config) return 'its config has changed';
  if (was.input !== now.input) return 'its input has changed';
  if (was.seed !== now.seed && now.seed !== null) return `the seed is ${now.seed}, not ${was.seed ?? 'random'}`;
  if (was.rows > now.rows) return `it has ${was.rows} rows, and ${now.rows} are requested`;
  return undefined;
}

/** Whether a verdict is a failure in this mode. */
export function isRefused({ action }: Verdict, resume: ResumeMode, isForced: boolean): boolean {
  return action === 'replace' && resume === 'always' && !isForced;
}
