import { join } from 'node:path';
import { DataDesignerError } from '@data-designer/core';
import { readBatch } from '@data-designer/dataset';
import type { RunEnd } from '@data-designer/engine';
import type {
  DatasetAnalysis,
  DatasetCreationResults,
  ExportOptions,
  HubPush,
  PushToHubOptions,
  WorkflowSummary,
} from '@data-designer/results';
import type { DatasetProfile } from '@data-designer/profile';
import type { WorkflowAnalysis } from './workflow-analysis.ts';
import { summariseStages } from './summarise-stages.ts';
import type { MappedFile } from './workflow-metadata.ts';

/** The stages that a run of a workflow made or reused. */
export interface MadeStages {
  readonly name: string;
  readonly path: string;
  readonly divertedFrom: string | null;
  readonly results: ReadonlyMap<string, DatasetCreationResults>;
  /** The seconds that the runs of each stage took. */
  readonly seconds: ReadonlyMap<string, number>;
  readonly reused: ReadonlySet<string>;
  /** The files of the rows that the `map` of stages returned, relative to the folder. */
  readonly mapped: ReadonlyMap<string, Pick<MappedFile, 'path' | 'rows'>>;
  readonly finalStage: string;
  readonly ended: RunEnd | null;
}

/** A workflow: its folder and the results of its stages. `OwnRow` are the rows of the last stage before its `map`. */
export class CompositeWorkflowResults<Row = Record<string, unknown>, OwnRow = Row> {
  /** The name of the workflow. */
  readonly name: string;
  /** The workflow's folder. */
  readonly path: string;
  /** The requested folder if another workflow occupies it; null if `path` is that folder. */
  readonly divertedFrom: string | null;
  /** The results by the name of the stage, in order; stages that the run did not reach are missing. */
  readonly stageResults: ReadonlyMap<string, DatasetCreationResults>;
  /** The stages that were complete and unchanged. */
  readonly reusedStages: ReadonlySet<string>;
  /** The last of the requested stages. */
  readonly finalStageName: string;
  /** Why a stage, and so the workflow, ended before all rows were made; null if it made them all. */
  readonly ended: RunEnd | null;
  readonly #seconds: ReadonlyMap<string, number>;
  readonly #mapped: MadeStages['mapped'];

  constructor({ name, path, divertedFrom, results, seconds, reused, mapped, finalStage, ended }: MadeStages) {
    this.name = name;
    this.path = path;
    this.divertedFrom = divertedFrom;
    this.stageResults = results;
    this.reusedStages = reused;
    this.finalStageName = finalStage;
    this.ended = ended;
    this.#seconds = seconds;
    this.#mapped = mapped;
  }

  /** The rows, usage, cost and time of each stage, and in total. */
  get summary(): WorkflowSummary {
    return summariseStages(this, this.#seconds);
  }

  /** The dataset of the last requested stage, without its `map`. Throws `workflow/no-stage` if the run did not reach it. */
  get finalResult(): DatasetCreationResults<OwnRow> {
    return this.#stage(this.finalStageName) as unknown as DatasetCreationResults<OwnRow>;
  }

  /** The names of the stages that have results, in order. */
  keys(): IterableIterator<string> {
    return this.stageResults.keys();
  }

  /** The stages and their results, in order. */
  items(): IterableIterator<[string, DatasetCreationResults]> {
    return this.stageResults.entries();
  }

  /** The rows of the last stage in order; memory holds one row group at a time. */
  records(): AsyncIterable<Row> {
    return this.loadStageOutput(this.finalStageName) as AsyncIterable<Row>;
  }

  /** The number of rows of the last stage. */
  countRecords(): number {
    return this.countStageOutputRecords(this.finalStageName);
  }

  /** Statistics of the dataset of the last stage. */
  loadAnalysis(): Promise<DatasetAnalysis> {
    return this.finalResult.loadAnalysis();
  }

  /**
   * The rows that later stages read, in order. If the stage has a `map`, these are the rows that it returned. Throws
   * `workflow/no-stage`.
   */
  loadStageOutput(stage: string): AsyncIterable<Record<string, unknown>> {
    const own = this.#stage(stage);
    return this.#mapped.has(stage) ? readBatch(this.getStageOutputPath(stage)) : own.records();
  }

  /** The number of rows of a stage that later stages read. Throws `workflow/no-stage`. */
  countStageOutputRecords(stage: string): number {
    const own = this.#stage(stage);
    return this.#mapped.get(stage)?.rows ?? own.count;
  }

  /** The folder of a stage's dataset, or the file of the rows that its `map` returned. Throws `workflow/no-stage`. */
  getStageOutputPath(stage: string): string {
    const own = this.#stage(stage);
    const mapped = this.#mapped.get(stage);
    return mapped ? join(this.path, mapped.path) : own.path;
  }

  /** Writes the rows of the last stage to a file, as the `export` of a dataset does. */
  export(path: string, options?: ExportOptions): Promise<string> {
    return this.exportStage(this.finalStageName, path, options);
  }

  /**
   * Writes the rows of a stage that later stages read to a file, for example to edit them. The rows of a `map` have no
   * conversations and reviews, because these belong to the dataset. Throws `workflow/no-stage`.
   */
  async exportStage(stage: string, path: string, options: ExportOptions = {}): Promise<string> {
    if (!this.#mapped.has(stage)) return this.#stage(stage).export(path, options);
    const { exportMapped } = await import('./map-output.ts');
    return exportMapped(this.getStageOutputPath(stage), path, options);
  }

  /**
   * Pushes the dataset of the last stage, as its `pushToHub` does. Throws `workflow/invalid` if the stage has a `map`, whose
   * rows are not a dataset.
   */
  async pushToHub(options: PushToHubOptions): Promise<HubPush> {
    const { name: workflow, finalStageName: stage, finalResult } = this;
    if (!this.#mapped.has(stage)) return finalResult.pushToHub(options);
    const { invalidWorkflow } = await import('./invalid-workflow.ts');
    throw invalidWorkflow({ workflow, stage }, 'pushToHub pushes a dataset; add a stage without columns after its map');
  }

  /** The cost of the answers of all stages, in the currency of the prices; null if a model has no price. */
  get cost(): number | null {
    return this.summary.total.cost;
  }

  /** Statistics of every stage, with their usage, cost and time; see `toReport()` of the analysis. */
  async loadWorkflowAnalysis(): Promise<WorkflowAnalysis> {
    const profiles = new Map<string, DatasetProfile>();
    for (const [stage, results] of this.stageResults) profiles.set(stage, (await results.loadAnalysis()).profile);
    const { WorkflowAnalysis: Analysis } = await import('./workflow-analysis.ts');
    return new Analysis({ name: this.name, summary: this.summary, profiles });
  }

  #stage(name: string): DatasetCreationResults {
    const results = this.stageResults.get(name);
    if (results) return results;
    const known = [...this.stageResults.keys()];
    throw new DataDesignerError('workflow/no-stage', { workflow: this.name, stage: name, known });
  }
}
