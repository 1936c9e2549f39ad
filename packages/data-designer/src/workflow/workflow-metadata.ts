import { join } from 'node:path';
import { isFields } from '@data-designer/core';
import { readJsonFile, writeJsonFile } from '@data-designer/dataset';
import { packageVersion } from '../options/package-version.ts';

/** What a stage was made from; a stage whose parts are equal is not made again. */
export interface StageIdentity {
  readonly config: string;
  readonly rows: number;
  /** Of the input, or of the files of its own seed. */
  readonly input: string;
  readonly seed: number | null;
}

/** The record of a stage, with the keys of NeMo Data Designer and `identity`. */
export interface StageRecord {
  readonly status: 'running' | 'failed' | 'completed';
  readonly index: number;
  readonly name: string;
  readonly stage_dir: string;
  readonly depends_on: readonly string[];
  readonly allow_empty: false;
  readonly on_success_version: null;
  readonly output_processors: readonly never[];
  readonly output: 'final';
  readonly sampling_strategy: string;
  readonly selection_strategy: unknown;
  readonly fingerprint: string;
  readonly num_records_requested: number;
  readonly seeded_from_stage: string | null;
  readonly seed_path: string | null;
  readonly config: unknown;
  readonly num_records_actual?: number;
  readonly output_records?: number;
  readonly output_seed_path?: string;
  readonly callback_output_path?: null;
  readonly stage_output_override_path?: string;
  readonly output_processor_output_path?: null;
  readonly duration_sec?: number;
  readonly identity: StageIdentity;
}

/** The file that records the stages of a workflow; written after each change. */
export class WorkflowMetadata {
  readonly #path: string;
  readonly #name: string;
  readonly #others: object;
  readonly #stages: Map<string, StageRecord>;

  private constructor(path: string, name: string, { others, stages }: { others: object; stages: StageRecord[] }) {
    this.#path = path;
    this.#name = name;
    this.#others = others;
    this.#stages = new Map(stages.map((stage) => [stage.name, stage]));
  }

  /** Reads the file of a workflow, if it exists. Throws `dataset/damaged`. */
  static async open(folder: string, name: string): Promise<WorkflowMetadata> {
    const path = metadataPath(folder);
    const written = await readJsonFile(path, { exact: false });
    const { stages = [], ...others } = isFields(written) ? written : {};
    const records = Array.isArray(stages) ? stages.filter(isRecord) : [];
    return new WorkflowMetadata(path, name, { others, stages: records });
  }

  /** The record of a stage. */
  of(stage: string): StageRecord | undefined {
    return this.#stages.get(stage);
  }

  /** Records a stage; the records of others stay. */
  async put(record: StageRecord): Promise<void> {
    this.#stages.set(record.name, record);
    const stages = [...this.#stages.values()].toSorted((a, b) => a.index - b.index);
    await writeJsonFile(this.#path, {
      ...this.#others,
      name: this.#name,
      library_version: packageVersion(),
      stages,
    });
  }
}

/** The path of a workflow's record. */
export function metadataPath(folder: string): string {
  return join(folder, 'workflow-metadata.json');
}

/** Whether a value is a record that this tool wrote; others are made again. */
function isRecord(value: unknown): value is StageRecord {
  return isFields(value) && typeof value['name'] === 'string' && isFields(value['identity']);
}
