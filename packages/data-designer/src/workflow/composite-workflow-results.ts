import { DataDesignerError } from '@data-designer/core';
import type { RunEnd } from '@data-designer/engine';
import type { DatasetCreationResults, ExportOptions } from '../records/dataset-creation-results.ts';
import type { DatasetAnalysis } from '../report/dataset-analysis.ts';

/** The stages that a run of a workflow made or reused. */
export interface MadeStages {
  readonly name: string;
  readonly path: string;
  readonly divertedFrom: string | null;
  readonly results: ReadonlyMap<string, DatasetCreationResults>;
  readonly reused: ReadonlySet<string>;
  readonly finalStage: string;
  readonly ended: RunEnd | null;
}

/** A workflow: its folder and the results of its stages. */
export class CompositeWorkflowResults<Row = Record<string, unknown>> {
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

  constructor({ name, path, divertedFrom, results, reused, finalStage, ended }: MadeStages) {
    this.name = name;
    this.path = path;
    this.divertedFrom = divertedFrom;
    this.stageResults = results;
    this.reusedStages = reused;
    this.finalStageName = finalStage;
    this.ended = ended;
  }

  /** The results of the last requested stage. Throws `workflow/no-stage` if the run did not reach it. */
  get finalResult(): DatasetCreationResults<Row> {
    return this.#stage(this.finalStageName) as unknown as DatasetCreationResults<Row>;
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
    return this.finalResult.records();
  }

  /** The number of rows of the last stage. */
  countRecords(): number {
    return this.finalResult.count;
  }

  /** Statistics of the last stage. */
  loadAnalysis(): Promise<DatasetAnalysis> {
    return this.finalResult.loadAnalysis();
  }

  /** The rows of a stage in order. Throws `workflow/no-stage`. */
  loadStageOutput(stage: string): AsyncIterable<Record<string, unknown>> {
    return this.#stage(stage).records();
  }

  /** The number of rows of a stage. Throws `workflow/no-stage`. */
  countStageOutputRecords(stage: string): number {
    return this.#stage(stage).count;
  }

  /** The folder of a stage's dataset. Throws `workflow/no-stage`. */
  getStageOutputPath(stage: string): string {
    return this.#stage(stage).path;
  }

  /** Writes the rows of the last stage to a file, as the `export` of a dataset does. */
  export(path: string, options?: ExportOptions): Promise<string> {
    return this.finalResult.export(path, options);
  }

  /** Writes the rows of a stage to a file, for example to edit them. Throws `workflow/no-stage`. */
  exportStage(stage: string, path: string, options?: ExportOptions): Promise<string> {
    return this.#stage(stage).export(path, options);
  }

  /** The cost of the answers of all stages, in the currency of the prices; null if a model has no price. */
  get cost(): number | null {
    let sum = 0;
    for (const { cost } of this.stageResults.values()) {
      if (cost === null) return null;
      sum += cost;
    }
    return sum;
  }

  #stage(name: string): DatasetCreationResults {
    const results = this.stageResults.get(name);
    if (results) return results;
    const known = [...this.stageResults.keys()];
    throw new DataDesignerError('workflow/no-stage', { workflow: this.name, stage: name, known });
  }
}
