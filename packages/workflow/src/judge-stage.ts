import { existsSync } from 'node:fs';
import { SEED_TABLE } from '@data-designer/core';
import type { ResumeMode } from '@data-designer/declaration';
import type { PreparedInput } from './stage-input.ts';
import type { CompiledStage } from './stage-maker.ts';
import { contentOf } from './stage-output.ts';
import type { StageIdentity, StageRecord } from './workflow-metadata.ts';

/** What to do with a stage. */
export type Verdict =
  | { readonly action: 'make' | 'reuse' | 'continue'; readonly extendsInput?: boolean }
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

/** An input that begins with the rows of the earlier one. */
export interface InputGrowth {
  /** Why the rows that the stage has cannot stay nevertheless. */
  readonly against: string | undefined;
}

/** Whether only rows were added to the input of a stage since its record, and whether its rows can stay then. */
export async function growthOf(
  record: StageRecord | undefined,
  input: PreparedInput | undefined,
  { plan, config }: Pick<CompiledStage, 'plan' | 'config'>,
): Promise<InputGrowth | undefined> {
  if (!record || !input || record.identity.input === input.content) return undefined;
  const rows = await input.rowsOf(record.identity.input);
  if (rows === undefined) return undefined;
  const { samplingStrategy = 'ordered', selectionStrategy = null } = config.seedConfig ?? {};
  const reasons = [
    [plan.select !== undefined, 'its selection decides over all of its rows'],
    [plan.processors.some(({ stage }) => stage === 'after_generation'), 'a processor has changed its rows together'],
    [samplingStrategy !== 'ordered' || selectionStrategy !== null, 'its rows read those of the input in another order'],
    [record.identity.rows > rows, 'some of its rows read the first ones of the input again'],
  ] as const;
  return { against: reasons.find(([is]) => is)?.[1] };
}

/** Compares a stage with its record. */
export function judgeStage(
  record: StageRecord | undefined,
  now: StageIdentity,
  {
    folder,
    isForced,
    growth,
  }: { readonly folder: string; readonly isForced: boolean; readonly growth?: InputGrowth | undefined },
): Verdict {
  if (!existsSync(folder)) return { action: 'make' };
  if (!record) return { action: 'replace', reason: 'workflow-metadata.json does not record it' };
  if (isForced) return { action: 'replace', reason: 'rerunFrom makes it again' };
  const was = record.identity;
  const reason = changeOf(was, now, growth);
  if (reason !== undefined) return { action: 'replace', reason };
  const isComplete = record.status === 'completed' || record.status === 'completed_empty';
  if (isComplete && was.rows === now.rows) return { action: 'reuse' };
  // A run that was killed may have recorded the longer input here, and not yet in its dataset.
  return { action: 'continue', extendsInput: was.input !== now.input || record.extends_input === true };
}

/** Why a stage must be made again; more rows are added to those that it has. */
function changeOf(was: StageIdentity, now: StageIdentity, growth: InputGrowth | undefined): string | undefined {
  if (was.config !== now.config) return 'its config has changed';
  if (was.input !== now.input && growth === undefined) return 'its input has changed';
  if (was.input !== now.input && growth?.against !== undefined) return `its input has more rows, and ${growth.against}`;
  if (was.seed !== now.seed && now.seed !== null) return `the seed is ${now.seed}, not ${was.seed ?? 'random'}`;
  if (was.rows > now.rows) return `it has ${was.rows} rows, and ${now.rows} are requested`;
  return undefined;
}

/** Whether a verdict is a failure in this mode. */
export function isRefused({ action }: Verdict, resume: ResumeMode, isForced: boolean): boolean {
  return action === 'replace' && resume === 'always' && !isForced;
}
