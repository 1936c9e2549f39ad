import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ColumnRegistry, isMapping } from '@data-designer/config';
import { DataDesignerError, type RowReview } from '@data-designer/core';
import type { AnalyseOptions } from '@data-designer/profile';
import {
  type ArrowTable,
  datasetPaths,
  datasetRowsAt,
  exportDataset,
  type ExportFormat,
  type LoggedFailure,
  processorRowsAt,
  processorTable,
  readDataset,
  readFailures,
  readJsonFile,
  readProcessorRows,
  readTable,
} from '@data-designer/dataset';
import type { GivenReview, ReviewLog } from '@data-designer/dataset/reviews';
import { EXPORT_FORMATS, isBatchFormat } from '@data-designer/dataset/formats';
import {
  lostRowsChoice,
  type RetriableRows,
  retriableRows,
  type RunResult,
  type TaskTrace,
} from '@data-designer/engine';
import { describeLostRows, RETRY_COMMAND } from '@data-designer/printing';
import type { DataDesignerConfigBuilder } from '@data-designer/declaration';
import type { HubPush, PushToHubOptions } from '../push/push-options.ts';
import { analyseOnce } from '../report/analyse-once.ts';
import type { DatasetAnalysis } from '../report/dataset-analysis.ts';
import type { ExportOptions } from './export-options.ts';
import { MadeRecords } from './made-records.ts';
import type { ShownRecords } from './sample-record/record-display.ts';
import { type ConfigBuilderOptions, type DeclaredAliases, seededBuilder } from './seeded-builder.ts';
import { recordWindow } from './sample-record/record-window.ts';

/** The export that a run has written besides its dataset. */
interface Exported {
  /** Null for none. */
  readonly path: string | null;
  readonly escapedTexts: number;
}

/** No export. */
export const NOT_EXPORTED: Exported = { path: null, escapedTexts: 0 };

/** The properties of results that do not come from the run. */
interface ResultsParts {
  readonly exported: Exported;
  readonly simulated: boolean;
  readonly analyseOptions: AnalyseOptions;
  readonly taskTraces: readonly TaskTrace[];
}

/** A created dataset: its folder, its rows, its usage and its cost. `count` includes the rows of earlier runs. */
export class DatasetCreationResults<Row = Record<string, unknown>> extends MadeRecords {
  /** The dataset's folder. */
  readonly path: string;
  /** The name of the dataset, which is the name of its folder. */
  readonly datasetName: string;
  /** The requested folder if another dataset occupies it; null if `path` is that folder. */
  readonly divertedFrom: string | null;
  /** Whether the built-in simulator made the answers up. */
  readonly simulated: boolean;
  /** The file that this run exported the dataset to, with `format: 'jsonl'` or `'csv'`; else null. */
  readonly exported: string | null;
  /** The texts that begin with an apostrophe in that file, because a spreadsheet would run them as formulas. */
  readonly escapedTexts: number;
  /** With the run setting `asyncTrace`, the tasks of this run, not of earlier ones, in the order in which they ended; else none. */
  readonly taskTraces: readonly TaskTrace[];
  /**
   * The damaged files of a loaded dataset other than its rows, such as the log of failed cells: one sentence for each
   * file.
   */
  readonly damages: readonly string[];
  readonly #result: RunResult;
  readonly #registry: ColumnRegistry;
  #reviewLog: ReviewLog | undefined;
  readonly #analyse: () => Promise<DatasetAnalysis>;

  constructor(result: RunResult, { exported, simulated, analyseOptions, taskTraces }: ResultsParts) {
    super(result, () => shownDataset(result, analyseOptions.registry));
    this.path = result.path;
    this.datasetName = result.datasetName;
    this.divertedFrom = result.divertedFrom ?? null;
    this.simulated = simulated;
    this.exported = exported.path;
    this.escapedTexts = exported.escapedTexts;
    this.taskTraces = taskTraces;
    this.damages = result.damages ?? [];
    this.#result = result;
    this.#registry = analyseOptions.registry;
    this.#analyse = analyseOnce(
      async () => {
        const { analyseDataset } = await import('@data-designer/profile');
        return analyseDataset(result, analyseOptions);
      },
      () => {
        const told = this.describeLostRows(RETRY_COMMAND);
        return told === null ? [] : [`${told}.`];
      },
    );
  }

  /** The dataset's folder, as the Python tool names it: `path`. */
  get datasetPath(): string {
    return this.path;
  }

  /** The rows requested, as the Python tool names them: `requested`. */
  get requestedNumRecords(): number {
    return this.requested;
  }

  /** The rows of the dataset, as the Python tool names them: `count`. */
  get actualNumRecords(): number {
    return this.count;
  }

  /** Whether the dataset has fewer rows than requested. */
  get isPartial(): boolean {
    return this.count < this.requested;
  }

  /** Whether the run ended because too many cells failed; null for a loaded dataset. */
  get earlyShutdown(): boolean | null {
    return this.effectiveResumeMode === null ? null : this.ended?.code === 'run/stopped-early';
  }

  /** `always` if the run continued a dataset, `never` if it began one, as `if_possible` decides; null for a loaded dataset. */
  get effectiveResumeMode(): 'never' | 'always' | null {
    const { isResumed } = this.#result;
    if (isResumed === undefined) return null;
    return isResumed ? 'always' : 'never';
  }

  /** The lost rows that `retryLost` makes again, and the estimated cost; null if there are none. */
  get retriable(): RetriableRows | null {
    return retriableRows(this.#result.plan, this.#result.summary) ?? null;
  }

  /**
   * Describes how to make the lost rows again, with the words of `how` and the cost, or why this is not possible; null
   * without lost rows.
   */
  describeLostRows(how: string): string | null {
    const { plan, summary } = this.#result;
    return describeLostRows(lostRowsChoice(plan, summary), how) ?? null;
  }

  /** The rows in order; memory holds one row group at a time. */
  records(): AsyncIterable<Row> {
    return readDataset(this.path) as AsyncIterable<Row>;
  }

  /** The whole dataset as one Arrow table in memory. */
  toArrow(): Promise<ArrowTable> {
    return readTable(this.path, this.#result.plan.fields);
  }

  /** The folder of a processor's output; throws `dataset/no-processor`. */
  getPathToProcessorArtifacts(processor: string): string {
    return processorTable(this.path, this.#result.plan, processor).path;
  }

  /** The output of a processor in row order; memory holds one row group at a time. Throws `dataset/no-processor`. */
  loadProcessorDataset(processor: string): AsyncIterable<Record<string, unknown>> {
    this.getPathToProcessorArtifacts(processor);
    return readProcessorRows(this.path, processor);
  }

  /**
   * Statistics of the columns and of the whole dataset, calculated at the first call and stored in the folder until its
   * files change. With profilers in the declaration, a model summarises the judges' reasons, which costs requests. Throws
   * `dataset/damaged`.
   */
  loadAnalysis(): Promise<DatasetAnalysis> {
    return this.#analyse();
  }

  /**
   * Starts a new config with these rows as its seed, with the same models and tools, and without columns. The builder
   * knows the types of the rows. Throws `dataset/no-column`.
   */
  toConfigBuilder<const Name extends keyof Row & string = keyof Row & string>(
    options: ConfigBuilderOptions<Name> = {},
  ): Promise<DataDesignerConfigBuilder<Pick<Row, Name>>> {
    return seededBuilder<Pick<Row, Name>>(options, {
      source: this.path,
      plan: this.#result.plan,
      table: () => this.toArrow(),
      declared: () => readAliases(this.path),
    });
  }

  /** The cells that failed, with their conversations, as logged; read one at a time. */
  failures(): AsyncIterable<LoggedFailure> {
    return readFailures(this.#result.plan.select ? join(this.path, 'candidates') : this.path);
  }

  /**
   * Writes the rows to a `.jsonl`, `.csv`, `.parquet` or `.arrow` file; with the format `chat-jsonl` the conversations, one
   * per line, as OpenAI's fine-tuning reads them; with `preference-jsonl` each edited answer next to the model's. The file
   * appears complete or not at all, and memory does not grow with it. Reviews of rows that changed since have no effect;
   * `reviews()` names them. Returns the path. Throws `config/invalid`, `dataset/no-processor` and `dataset/no-chats`.
   */
  async export(path: string, options: ExportOptions = {}): Promise<string> {
    // Most runs export nothing.
    const { exportResults } = await import('./export-results.ts');
    await exportResults(this.#result, path, options);
    return path;
  }

  /**
   * Adds a review of a row to `reviews.jsonl` in the dataset's folder; it replaces the row's earlier one. Throws
   * `review/invalid` for a row or an edit that does not fit, and `review/row-changed` if a given `hash` is not that of the row.
   */
  async addReview(review: GivenReview): Promise<RowReview> {
    const { addReview, ReviewLog } = await import('@data-designer/dataset/reviews');
    this.#reviewLog ??= new ReviewLog(this.path);
    const { fields } = this.#result.plan;
    return addReview({ folder: this.path, fields, log: this.#reviewLog }, review);
  }

  /** The reviews of the rows, in their order; `isStale` says whether a row changed after its review. Reads the row groups of reviewed rows. */
  async *reviews(): AsyncIterable<RowReview> {
    const { readReviews } = await import('@data-designer/dataset/reviews');
    yield* readReviews(this.path);
  }

  /**
   * Pushes the dataset to the Hugging Face Hub in one commit: records, output of processors, images, config, metadata and a
   * dataset card with statistics. A second push sends only what the Hub lacks. Options, folder and token are checked before
   * the first request. Throws `secret/missing`, `dataset/empty`, `dataset/damaged` and `hub/*`.
   */
  async pushToHub(options: PushToHubOptions): Promise<HubPush> {
    const { pushToHub } = await import('../push/push-to-hub.ts');
    const count = async () => {
      const { countDataset } = await import('@data-designer/profile');
      return countDataset(this.#result, { registry: this.#registry });
    };
    return pushToHub({ result: this.#result, count }, options);
  }
}

/** The models and tool configs that a dataset was made with. Throws `dataset/damaged`. */
async function readAliases(folder: string): Promise<DeclaredAliases> {
  const { builderConfig: path } = datasetPaths(folder);
  const written = await readJsonFile(path);
  if (written === undefined) throw new DataDesignerError('dataset/damaged', { path, reason: 'it is not there' });
  const document = isMapping(written) && isMapping(written['data_designer']) ? written['data_designer'] : {};
  return { model_configs: document['model_configs'] ?? [], tool_configs: document['tool_configs'] ?? [] };
}

function shownDataset({ path: folder, datasetName, plan, summary }: RunResult, registry: ColumnRegistry): ShownRecords {
  return {
    title: datasetName,
    plan,
    types: registry,
    count: summary.rows,
    recordAt: recordWindow((position) => datasetRowsAt(folder, position)),
    processed: (plan.processors ?? []).flatMap(({ config: { name: processor }, sideTable }) => {
      if (!sideTable) return [];
      return { processor, recordAt: recordWindow((position) => processorRowsAt(folder, processor, position)) };
    }),
    folder,
  };
}

/**
 * Exports a dataset to `<folder>/<name>.<format>` if datasets cannot be stored in the format, and rewrites the exports of
 * earlier runs, which may lack rows. Returns the requested export.
 */
export async function writeExports(
  { path: folder, datasetName, plan }: Pick<RunResult, 'path' | 'datasetName' | 'plan'>,
  format: ExportFormat | undefined,
): Promise<Exported> {
  let escapedTexts = 0;
  const pathOf = (name: ExportFormat) => join(folder, `${datasetName}.${name}`);
  for (const name of EXPORT_FORMATS) {
    if (isBatchFormat(name) || (name !== format && !existsSync(pathOf(name)))) continue;
    const onEscape = () => void (name === format && escapedTexts++);
    await exportDataset({ folder, fields: plan.fields }, pathOf(name), { format: name, onEscape });
  }
  return format === undefined || isBatchFormat(format) ? NOT_EXPORTED : { path: pathOf(format), escapedTexts };
}
