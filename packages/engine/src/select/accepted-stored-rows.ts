import { basename, join } from 'node:path';
import { type ColumnRegistry, parseSelect, WHERE_COLUMN, whereTemplate } from '@data-designer/config';
import {
  DataDesignerError,
  isFailure,
  NEVER,
  type Plan,
  Random,
  refuseStopped,
  type Row,
  type StopSignals,
  LostRowCount,
} from '@data-designer/core';
import {
  DatasetFolder,
  type DatasetMetadata,
  datasetPaths,
  makeFolder,
  moveContent,
  readDataset,
  hasRunRecord,
  readJsonFile,
  readRunRecord,
  readSideRows,
  removeFolder,
  RUN_RECORD_VERSION,
  type RunRecord,
  sideFiles,
  type SideTable,
  sideTables,
} from '@data-designer/dataset';
import { DatasetReviews, type ReviewUse } from '@data-designer/dataset/reviews';
import { compileTemplate } from '@data-designer/template';
import { recordProgress, recordStart } from '../commit/run-metadata.ts';
import { planSelect } from '../compile/plan-select.ts';
import { openJob } from '../job/job.ts';
import type { MadeRows } from '../job/row-source.ts';
import { loadRun } from '../load-run.ts';
import { RunSummary } from '../run-summary.ts';
import type { RunResult } from '../run-result.ts';
import { withoutSelect } from './candidate-plan.ts';
import { isFaultOfWhere, type Refusal, refusedCandidate, RowJudge } from './row-judge.ts';
import { SelectedFiles, type WholeRow } from './selected-files.ts';

/** How rows of a finished dataset are selected. */
export interface SelectRowsOptions {
  readonly artifactPath: string;
  readonly datasetName: string;
  /** The number of rows to accept; all rows that the rules accept unless given. */
  readonly numRecords?: number | undefined;
  /** How the reviews of the dataset change its rows. */
  readonly reviews?: ReviewUse;
  readonly signal?: AbortSignal | undefined;
  readonly registry: ColumnRegistry;
}

/** A finished dataset, and the rules for its rows. */
interface Source {
  readonly folder: string;
  readonly record: Omit<RunRecord, 'version'>;
  readonly sides: readonly SideTable[];
  readonly rows: number;
  readonly select: ReturnType<typeof parseSelect>;
}

/** The decisions on the rows of a finished dataset. */
interface Decided {
  readonly accepted: number;
  readonly decided: number;
  readonly refused: LostRowCount;
}

/** What decides rows, and where they go. */
interface Deciding {
  readonly judge: RowJudge;
  readonly reviews: DatasetReviews;
  readonly files: SelectedFiles;
  /** The number of rows to accept; infinite for all that the rules accept. */
  readonly wanted: number;
  readonly stop: StopSignals;
}

/** At most this many files, and at least this many rows in each but the last. */
const FILES = 1000;
const ROWS_PER_FILE = 1000;

/**
 * Writes the rows of a finished dataset that `rules` accept to a new dataset folder, which appears complete or not at all.
 * Throws `config/invalid` for wrong rules before it writes, what `loadRun` throws, and `select/too-few` without an accepted row.
 */
export async function selectRows(folder: string, rules: unknown, options: SelectRowsOptions): Promise<RunResult> {
  const { numRecords, signal = NEVER, artifactPath, datasetName } = options;
  const stop = { signal, drain: NEVER };
  refuseStopped(stop);
  const source = await openSource(folder, rules, options.registry);
  const { select } = source;
  const planned = planSelect(select).select;
  if (!planned) throw new DataDesignerError('internal/unexpected', { reason: 'the selection is gone' });
  using judge = await RowJudge.open(planned);
  const most = Math.min(numRecords ?? Infinity, source.rows);
  const groupSize = Math.max(ROWS_PER_FILE, Math.ceil(most / FILES));
  const planFor = (rows: number): Plan => selectedPlan(source, { firstRow: 0, rows, groupSize });
  const document = (await readJsonFile(datasetPaths(folder).builderConfig)) ?? { data_designer: { columns: [] } };
  const { format } = source.record;
  const named = { artifactPath, datasetName, resume: 'never', seed: null, format, onEvent: () => {} } as const;
  await using job = await openJob(planFor(most), { ...named, ...stop });
  await job.make({
    make: async ({ folder: to, plan }) => {
      await recordStart(to, { ...source.record, plan }, document);
      const reviews = await DatasetReviews.open(source.folder, options.reviews);
      const deciding = { judge, reviews, wanted: numRecords ?? Infinity, stop };
      return moveSelected(to, source, { planFor, groupSize, deciding });
    },
  });
  await job.finish();
  job.keep();
  return job.result();
}

/** How the accepted rows are found and stored. */
interface SelectedRows {
  readonly planFor: (rows: number) => Plan;
  readonly groupSize: number;
  readonly deciding: Omit<Deciding, 'files'>;
}

/** Writes the accepted rows in a folder within the dataset's, and moves the whole content once it is complete. */
async function moveSelected(
  to: DatasetFolder,
  source: Source,
  { planFor, groupSize, deciding }: SelectedRows,
): Promise<MadeRows> {
  const stage = datasetPaths(join(to.paths.partialFiles, 'selected'));
  try {
    await makeFolder(stage.folder);
    const files = new SelectedFiles(stage, { ...source, ...source.record, groupSize, imagesFrom: source.folder });
    const decided = await decideRows(source, { ...deciding, files });
    const ended = endOf(source, decided, deciding.wanted);
    if (decided.accepted === 0 && ended) throw ended;
    const plan = planFor(decided.accepted);
    const summary = new RunSummary();
    summary.settleRows(decided.accepted);
    summary.settleLost(decided.refused.list());
    const staged = new DatasetFolder(stage, { name: to.name, lock: to });
    await recordProgress(staged, { plan, summary });
    await staged.updateMetadata(selectionOf(source, decided, deciding.reviews.stale));
    await to.writeRun({ version: RUN_RECORD_VERSION, ...source.record, plan } satisfies RunRecord);
    await removeFolder(stage.partialFiles);
    await moveContent(stage.folder, to.path, { last: basename(stage.parquetFiles) });
    return { plan, summary, isComplete: true, isFinal: true, ended };
  } finally {
    await removeFolder(stage.folder);
  }
}

/** Opens a finished dataset and checks the rules against its columns. */
async function openSource(folder: string, rules: unknown, registry: ColumnRegistry): Promise<Source> {
  const { path, plan, summary } = await loadRun(folder, registry);
  const paths = datasetPaths(path);
  const { format, tools } = hasRunRecord(paths)
    ? await readRunRecord(paths)
    : ({ format: 'parquet', tools: {} } as const);
  const sides: SideTable[] = [];
  for (const table of alignedTables(plan)) if ((await sideFiles(paths, table)).length > 0) sides.push(table);
  const dropped = sides.find(({ processor }) => processor === null)?.fields ?? [];
  const fields = [...dropped, ...plan.fields];
  const select = parseSelect(rules, { fields, templates: plan.templates, registry });
  const record = { format, tools, tables: [], selectedFrom: path, plan: withoutSelect(plan) };
  return { folder: path, record, sides, rows: summary.rows, select };
}

/** The side tables, unless a processor of the whole dataset may have moved the rows of the main table. */
function alignedTables(plan: Plan): readonly SideTable[] {
  return plan.processors.some(({ stage }) => stage === 'after_generation') ? [] : sideTables(plan);
}

/** The plan of the new dataset: the one of the source, for other rows. */
function selectedPlan({ record: { plan }, sides }: Source, segment: Plan['segments'][number]): Plan {
  const made = new Set(sides.map(({ processor }) => processor));
  return {
    ...plan,
    dropped: made.has(null) ? plan.dropped : null,
    processors: plan.processors.filter(({ sideTable, config }) => !sideTable || made.has(config.name)),
    segments: [segment],
  };
}

/** Decides the rows in their order, and hands them to the files. */
async function decideRows(source: Source, { judge, reviews, files, wanted, stop }: Deciding): Promise<Decided> {
  const { select, sides } = source;
  const most = select.maxCandidates ?? Infinity;
  const droppedAt = sides.findIndex(({ processor }) => processor === null);
  const isTrue = whereOf(source);
  const refused = new LostRowCount();
  let [accepted, decided] = [0, 0];
  for await (const { main: stored, sides: rows } of wholeRows(source)) {
    if (accepted >= wanted || decided >= most) break;
    refuseStopped(stop);
    const reviewed = reviews.apply(stored, decided);
    const main = reviewed?.row ?? stored;
    const cells = { ...rows[droppedAt], ...main };
    const refusal = reviewed
      ? failing(select.where, () => judge.decide({ ...cells, ...isTrue(cells, decided) }, accepted))
      : refusedInReview();
    decided++;
    if (!refusal) {
      await files.accept({ main, sides: rows });
      accepted++;
      continue;
    }
    refused.add({ ...refusal.counted, rows: 1 });
    await files.refuse(main, refusedCandidate(decided - 1, refusal), select);
  }
  await files.finish();
  return { accepted, decided, refused };
}

function refusedInReview(): Refusal {
  const { code, message } = new DataDesignerError('select/reviewed', {});
  return { reason: message, counted: { column: '', code, message } };
}

/** The cell of the column that decides `where`; none without a condition. */
function whereOf({ select, record: { plan } }: Source): (row: Row, index: number) => Row {
  const { where } = select;
  if (where === null) return () => ({});
  const floatColumns = plan.fields.flatMap(({ name, type }) => (type === 'float64' ? name : []));
  const render = compileTemplate(whereTemplate(where), { mode: plan.templates, floatColumns, isPortable: false });
  const random = Random.of(plan.seed, WHERE_COLUMN);
  return (row, index) => ({ [WHERE_COLUMN]: render(row, () => random.at(index).float()) === 'True' });
}

/** A row for which the condition fails is refused with that failure. */
function failing(where: string | null, decide: () => Refusal | undefined): Refusal | undefined {
  try {
    return decide();
  } catch (thrown) {
    const { code, message } = DataDesignerError.fromUnknown(inExpression(thrown, where));
    const counted = { column: WHERE_COLUMN, code, message };
    if (!isFaultOfWhere(counted)) throw thrown;
    return { reason: message, counted };
  }
}

/** A failure that quotes the expression, and not the template around it. */
function inExpression(thrown: unknown, where: string | null): unknown {
  if (where === null || !isFailure(thrown, 'template/empty-render')) return thrown;
  return new DataDesignerError('template/empty-render', { ...thrown.data, template: where });
}

/** The rows with those of the side tables. Throws `dataset/damaged` for a side table of another length. */
async function* wholeRows({ folder, sides }: Source): AsyncGenerator<WholeRow> {
  const tables = sides.map((table) => readSideRows(folder, table));
  try {
    for await (const main of readDataset(folder)) {
      const rows: Row[] = [];
      for (const [at, table] of tables.entries()) {
        const { value } = await table.next();
        if (value === undefined) throw shortTable(folder, sides[at]);
        rows.push(value);
      }
      yield { main, sides: rows };
    }
  } finally {
    for (const table of tables) await table.return(undefined);
  }
}

function shortTable(folder: string, table: SideTable | undefined): DataDesignerError {
  const what = table?.processor ? `the output of the processor '${table.processor}'` : 'the table of dropped columns';
  return new DataDesignerError('dataset/damaged', { path: folder, reason: `${what} has fewer rows than the dataset` });
}

/** Why there are fewer rows than requested, or none. */
function endOf(
  { folder, select }: Source,
  { accepted, decided, refused }: Decided,
  wanted: number,
): DataDesignerError | undefined {
  const isAll = wanted === Infinity;
  const isEnough = accepted > 0 && (isAll || accepted >= wanted || select.onExhausted === 'keep');
  if (isEnough) return undefined;
  const [first] = refused.list();
  const reason = first ? `${first.rows} of ${accepted === 0 ? 'them' : 'the others'}: ${first.message}` : '';
  return new DataDesignerError('select/too-few', {
    path: folder,
    wanted: isAll ? 0 : wanted,
    accepted,
    decided,
    reason,
    isFault: first !== undefined && isFaultOfWhere(first),
  });
}

/** What `metadata.json` says. NeMo Data Designer compares `config_hash`, and then refuses to add rows. */
function selectionOf(
  { folder, record }: Source,
  { accepted, decided, refused }: Decided,
  stale: readonly number[],
): DatasetMetadata {
  const selection = { source: folder, candidates: decided, accepted, refused: refused.list() };
  return {
    selection: stale.length === 0 ? selection : { ...selection, stale_reviews: stale },
    config_hash: `other-files:${record.plan.fingerprint}`,
  };
}
