import { type ColumnRegistry, compiledFingerprint, parseDataset } from '@data-designer/config';
import { DataDesignerError, fieldsOf, messageOf, type Plan, rowsIn, SEED_TABLE } from '@data-designer/core';
import {
  ChecksumLog,
  type DatasetPaths,
  datasetPaths,
  findBatches,
  hasRunRecord,
  logDamages,
  lostRefused,
  nameWithin,
  readJsonFile,
  readPartialGroups,
  readRunRecord,
  refuseLostFiles,
  sideTables,
} from '@data-designer/dataset';
import { journaledGroups } from '@data-designer/dataset/journal';
import { declarationDigest } from './commit/run-metadata.ts';
import { lostUsage } from './resume/restore-usage.ts';
import { candidatePaths } from './select/clean-candidates.ts';
import { isSelecting } from './select/candidate-plan.ts';
import type { RunSummary } from './run-summary.ts';

/** A dataset whose files are checked. */
interface FoundDataset {
  readonly plan: Plan;
  readonly summary: RunSummary;
  readonly registry: ColumnRegistry;
}

/** What is damaged in the folder of a dataset that no run is making, besides the content of its rows: one sentence for each file. */
export async function findDamages(
  folder: string,
  { plan, summary, registry }: FoundDataset,
): Promise<readonly string[]> {
  const paths = datasetPaths(folder);
  if (!hasRunRecord(paths)) return [];
  const damages = [...(await logDamages(paths))];
  const candidates = candidatePaths(folder);
  if (isSelecting(plan) && hasRunRecord(candidates)) {
    damages.push(...(await logDamages(candidates)).map((damage) => `candidates/${damage}`));
    damages.push(...(await reasonsOf(async () => refuseLost(candidates, (await readRunRecord(candidates)).plan))));
  }
  damages.push(...(await reasonsOf(() => refuseLost(paths, plan))));
  for (const { lost } of await lostRefused(paths, await new ChecksumLog(paths).read(), { isSizeOnly: true })) {
    const remedy = 'Restore it from a copy, or resume the dataset (--resume always) if it still has its candidates.';
    damages.push(`${nameWithin(folder, lost)}: it is missing or damaged, and a refused row needs it. ${remedy}`);
  }
  // Answers in journals count once their groups are made again.
  const isOpen = (await readPartialGroups(paths)).size > 0 || (await journaledGroups(paths.journals)).size > 0;
  damages.push(...(await reasonsOf(() => refuseOtherDeclaration(paths, { plan, registry }))));
  if (isSelecting(plan)) damages.push(...(await reasonsOf(() => refuseLostMetadata(paths, plan))));
  const metadata = await readJsonFile(paths.metadata).catch(() => undefined);
  if (!isOpen && lostUsage(fieldsOf(metadata), plan, summary).length > 0)
    damages.push('usage.jsonl: it counts less usage than metadata.json.');
  return damages;
}

function refuseLost(paths: DatasetPaths, plan: Plan): Promise<void> {
  return refuseLostFiles(paths, sideTables(plan), plan);
}

/** Throws where the counts of a selection cannot be read. A run that was killed may not have written them. */
async function refuseLostMetadata(paths: DatasetPaths, plan: Plan): Promise<void> {
  const { metadata: path } = paths;
  const metadata = await readJsonFile(path, { exact: false });
  if (fieldsOf(metadata)['selection'] !== undefined || (await findBatches(paths)).rows < rowsIn(plan.segments)) return;
  const remedy = 'Resume the dataset (--resume always), which makes it again.';
  // A profile may have been stored since.
  const reason = metadata === undefined ? 'it is not there' : 'it lacks the counts of the selection';
  throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
}

/** Throws for a declaration that is missing, that cannot be read, or of which the rows were not made. */
async function refuseOtherDeclaration(
  paths: DatasetPaths,
  { plan, registry }: Pick<FoundDataset, 'plan' | 'registry'>,
): Promise<void> {
  const { builderConfig: path } = paths;
  const document = await readJsonFile(path);
  const remedy = 'Restore it from a copy. No row follows from it.';
  if (document === undefined)
    throw new DataDesignerError('dataset/damaged', { path, reason: 'it is not there', remedy });
  const { declaration } = await readRunRecord(paths);
  if (declaration === undefined || declaration === declarationDigest(document)) return;
  // NeMo Data Designer writes the same declaration in another form.
  if (fingerprintIn(document, { plan, registry }) === plan.fingerprint) return;
  const reason = 'it is not the declaration of which the rows were made';
  throw new DataDesignerError('dataset/damaged', { path, reason, remedy });
}

/** The fingerprint of a declaration with the seed columns of a plan; undefined for one that cannot be read here. */
function fingerprintIn(document: unknown, { plan, registry }: Pick<FoundDataset, 'plan' | 'registry'>) {
  const seedColumns = plan.tables.find(({ id }) => id === SEED_TABLE)?.fields.map(({ name }) => name) ?? [];
  try {
    return compiledFingerprint(parseDataset(document, registry).config, { registry, seedColumns });
  } catch {
    return undefined;
  }
}

async function reasonsOf(check: () => Promise<void>): Promise<readonly string[]> {
  try {
    await check();
    return [];
  } catch (thrown) {
    return [messageOf(thrown)];
  }
}
