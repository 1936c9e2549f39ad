import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ColumnRegistry } from '@data-designer/config';
import type { Plan, Row } from '@data-designer/core';
import { type BatchFormat, type DatasetPaths, datasetPaths, DatasetRows, stampText } from '@data-designer/dataset';
import { readPlan } from '@data-designer/engine';
import type { ColumnInfo } from '../api/columns.ts';
import type { DatasetEntry } from '../api/datasets.ts';
import type { RunFacts } from '../api/overview.ts';
import type { Filter } from '../api/filter.ts';
import { columnInfos, scoreColumns } from './column-infos.ts';
import { FailureIndex } from './failure-index.ts';
import { LiveFeed } from './live/live-feed.ts';
import { QueryEngine } from './query/query-engine.ts';
import { unknownColumn, RequestFailure } from './request-failure.ts';
import { ReviewIndex } from './review-index.ts';
import { RunMonitor } from './run-monitor.ts';
import { StampedValue } from './stamped-value.ts';

/** What the server knows of a dataset's declaration. */
export interface ShownPlan {
  readonly plan: Plan;
  readonly format: BatchFormat;
  readonly columns: readonly ColumnInfo[];
  /** The scores of judges as columns. */
  readonly scores: readonly ColumnInfo[];
}

/** A row is read once for all parts of it that are requested soon. */
const KEPT_MS = 10_000;
/** The files are listed at most so often. */
const LIST_EVERY_MS = 500;

/** A dataset that the server shows. It is read while a run writes it: the lock is ignored, and nothing is written. */
export class ShownDataset implements AsyncDisposable {
  readonly entry: DatasetEntry;
  readonly paths: DatasetPaths;
  readonly registry: ColumnRegistry;
  /** Folders whose files cells may name, beside its own. */
  readonly mediaRoots: readonly string[];
  readonly rows: DatasetRows;
  readonly failures: FailureIndex;
  readonly monitor: RunMonitor;
  readonly reviews: ReviewIndex;
  readonly queries: QueryEngine;
  readonly live: LiveFeed;
  /** By the version of the rows. */
  readonly meanScores = new StampedValue<RunFacts['scores']>();
  /** The row of the plan at each position, by the version of the rows and the number of failed cells. */
  readonly plannedRows = new StampedValue<readonly number[] | undefined>();
  readonly #plan = new StampedValue<ShownPlan>();
  #row = new StampedValue<Row>();
  #forgetting: NodeJS.Timeout | undefined;
  #listedAt = -Infinity;
  #listing: Promise<unknown> | undefined;

  constructor(entry: DatasetEntry, registry: ColumnRegistry, mediaRoots: readonly string[] = []) {
    this.entry = entry;
    this.registry = registry;
    this.mediaRoots = mediaRoots;
    this.paths = datasetPaths(entry.path);
    this.rows = new DatasetRows(entry.path);
    const { failures } = this.#candidates;
    this.failures = new FailureIndex(existsSync(failures) ? failures : this.paths.failures);
    this.monitor = new RunMonitor(this);
    this.reviews = new ReviewIndex(this);
    this.queries = new QueryEngine(this);
    this.live = new LiveFeed(this);
  }

  /** The rows as they are now. Throws `dataset/missing` and `dataset/damaged`. */
  async currentRows(): Promise<DatasetRows> {
    if (performance.now() - this.#listedAt >= LIST_EVERY_MS || this.rows.version === '') {
      this.#listing ??= this.rows.refresh().finally(() => {
        this.#listing = undefined;
        this.#listedAt = performance.now();
      });
      await this.#listing;
    }
    return this.rows;
  }

  /** The plan, read again when a run has changed it. Throws `dataset/damaged`. */
  async plan(): Promise<ShownPlan> {
    const { run, metadata } = this.paths;
    const stamp = (await stampText(run)) ?? (await stampText(metadata)) ?? '';
    return this.#plan.get(stamp, () => this.#readPlan());
  }

  /** The paths of the dataset whose rows models are asked for: with a selection, its candidates. */
  async askedPaths(): Promise<DatasetPaths> {
    return (await this.plan()).plan.select ? this.#candidates : this.paths;
  }

  /** A column of the table; throws where there is none of this name. */
  async column(name: string): Promise<ColumnInfo> {
    return columnIn((await this.plan()).columns, name);
  }

  /** The row at a position, which is kept for its further parts; throws a failure with the status 404 where there is none. */
  async row(index: number): Promise<Row> {
    const rows = await this.currentRows();
    clearTimeout(this.#forgetting);
    this.#forgetting = setTimeout(() => (this.#row = new StampedValue()), KEPT_MS).unref();
    return this.#row.get(`${rows.version} ${index}`, async () => {
      const [row] = await rows.at([index]);
      if (!row) throw new RequestFailure(404, 'view/not-found', `The dataset has no row ${index}.`);
      return row;
    });
  }

  /** The rows with a review of a kind, or all others. */
  reviewed(kind: NonNullable<Filter['review']>): ReturnType<ReviewIndex['positions']> {
    return this.reviews.positions(kind);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.queries[Symbol.asyncDispose]();
  }

  get #candidates(): DatasetPaths {
    return datasetPaths(join(this.paths.folder, 'candidates'));
  }

  async #readPlan(): Promise<ShownPlan> {
    const { plan, format } = await readPlan(this.paths.folder, this.registry);
    const columns = columnInfos(plan, this.registry);
    return { plan, format, columns, scores: scoreColumns(columns, plan) };
  }
}

/** A column by its name; throws a failure with the status 400 where there is none. */
export function columnIn(columns: readonly ColumnInfo[], name: string): ColumnInfo {
  const found = columns.find((column) => column.name === name);
  if (!found)
    throw unknownColumn(
      name,
      columns.map((column) => column.name),
    );
  return found;
}
