import { dirname, join } from 'node:path';
import { DataDesignerError, isFields } from '@data-designer/core';
import { type FolderLock, readJsonFile, WORKFLOW_FILE, writeJsonFile } from '@data-designer/dataset';
import type { RunEnd } from '@data-designer/engine';
import { packageVersion } from '@data-designer/declaration';

/** The version of a workflow's record that this program writes and reads. */
const FORMAT_VERSION = 1;

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
  readonly status: 'running' | 'failed' | 'completed' | 'completed_empty' | 'skipped_empty_upstream';
  readonly index: number;
  readonly name: string;
  readonly stage_dir: string;
  readonly depends_on: readonly string[];
  readonly allow_empty: boolean;
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
  readonly callback_output_path?: string | null;
  readonly stage_output_override_path?: string;
  readonly output_processor_output_path?: null;
  readonly duration_sec?: number;
  readonly identity: StageIdentity;
  /** Whether its input has more rows than the one that its dataset began with. */
  readonly extends_input?: boolean;
  /** The id of the run on a cluster that made it, whichever machine coordinated. */
  readonly cluster?: string;
  /** The file of joined, expanded or grouped rows, if the stage has one. */
  readonly input_file?: InputFile | null;
  /** The hash of its output, with the stamp of the hashed files. */
  readonly output_content?: { readonly hash: string; readonly stamp: string };
  /** The file of the rows that its `map` returned, if it has one. */
  readonly map_output?: MappedFile | null;
}

/** A file of rows that the `map` of a stage returned. */
export interface MappedFile {
  /** Relative to the workflow's folder. */
  readonly path: string;
  readonly rows: number;
  /** Of its size and time. */
  readonly stamp: string;
  readonly hash: string;
  /** A hash of the stage's own rows and of the function. */
  readonly source: string;
}

/** A file with the input rows of a stage. */
export interface InputFile {
  readonly rows: number;
  /** Of its size and time. */
  readonly stamp: string;
}

/** A workflow with its stages in order. */
interface NamedStages {
  readonly name: string;
  readonly stages: readonly { readonly name: string }[];
}

/** A workflow as its folder has it. */
interface WrittenWorkflow {
  readonly name: string;
  readonly stages: readonly StageRecord[];
  readonly isComplete: boolean;
  /** Why it ended before all requested stages were done; undefined if that is not known. */
  readonly ended: RunEnd | undefined;
}

/** The file as an earlier run left it, and the lock of a cluster. */
interface WrittenMetadata {
  readonly others: Readonly<Record<string, unknown>>;
  readonly records: readonly StageRecord[];
  readonly lock: FolderLock | undefined;
}

/** The file that records the stages of a workflow; written after each change. */
export class WorkflowMetadata {
  readonly #path: string;
  readonly #name: string;
  readonly #order: readonly string[];
  #others: Readonly<Record<string, unknown>>;
  readonly #lock: FolderLock | undefined;
  readonly #stages: Map<string, StageRecord>;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, { name, stages }: NamedStages, { others, records, lock }: WrittenMetadata) {
    this.#path = path;
    this.#name = name;
    this.#order = stages.map((stage) => stage.name);
    this.#others = others;
    this.#lock = lock;
    this.#stages = new Map(records.map((stage) => [stage.name, stage]));
  }

  /**
   * Reads the file of a workflow, if it exists. Throws `dataset/damaged`. With the lock of a cluster, each change is refused
   * once another machine has replaced it.
   */
  static async open(folder: string, workflow: NamedStages, lock?: FolderLock): Promise<WorkflowMetadata> {
    const path = metadataPath(folder);
    const written = await readJsonFile(path, { exact: false });
    const { stages = [], ...others } = isFields(written) ? written : {};
    const records = Array.isArray(stages) ? stages.filter(isRecord) : [];
    return new WorkflowMetadata(path, workflow, { others, records, lock });
  }

  /** The record of a stage. */
  of(stage: string): StageRecord | undefined {
    return this.#stages.get(stage);
  }

  /** The seconds that the runs of each stage took. */
  seconds(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#stages].flatMap(([name, { duration_sec: seconds }]) =>
        seconds === undefined ? [] : [[name, seconds]],
      ),
    );
  }

  /** Records a stage; the records of others stay, those of stages that the workflow no longer has at the end. */
  put(record: StageRecord): Promise<void> {
    return this.#change(() => this.#stages.set(record.name, record));
  }

  /** Records that the requested stages are being made; without a stage there is no file. */
  async begin(): Promise<void> {
    const { is_complete: isComplete = false, ended, ...others } = this.#others;
    if (this.#stages.size === 0 || (isComplete === false && ended === undefined)) return;
    await this.#change(() => (this.#others = { ...others, is_complete: false }));
  }

  /** Records why the requested stages are not all done; null if they are. */
  async end(ended: RunEnd | null): Promise<void> {
    if (this.#stages.size === 0) return;
    const end = ended === null ? { is_complete: true } : { is_complete: false, ended };
    await this.#change(() => (this.#others = { ...this.#others, ...end }));
  }

  #change(change: () => unknown): Promise<void> {
    // Stages that are made at the same time write one after another.
    this.#written = this.#written
      .catch(() => {})
      .then(() => {
        change();
        return this.#write();
      });
    return this.#written;
  }

  async #write(): Promise<void> {
    // A coordinator that was suspended may wake up here.
    if (this.#lock && !(await this.#lock.isHeld()))
      throw new DataDesignerError('cluster/taken-over', { path: dirname(this.#path) });
    const known = this.#order.flatMap((name) => this.#stages.get(name) ?? []);
    const others = [...this.#stages.values()].filter(({ name }) => !this.#order.includes(name));
    const stages = [...known, ...others].map((stage, index) => ({ ...stage, index }));
    await writeJsonFile(this.#path, {
      ...this.#others,
      format_version: FORMAT_VERSION,
      name: this.#name,
      library_version: packageVersion(),
      stages,
    });
  }
}

/** The path of a workflow's record. */
export function metadataPath(folder: string): string {
  return join(folder, WORKFLOW_FILE);
}

/**
 * The record of a workflow in a folder, with the records of its stages in order; undefined without one. Throws
 * `dataset/damaged` and `dataset/other-version`.
 */
export async function readWorkflow(folder: string): Promise<WrittenWorkflow | undefined> {
  const written = await readJsonFile(metadataPath(folder), { exact: false });
  if (!isFields(written)) return undefined;
  const { format_version: version = FORMAT_VERSION } = written;
  if (typeof version === 'number' && version !== FORMAT_VERSION)
    throw new DataDesignerError('dataset/other-version', {
      path: metadataPath(folder),
      version,
      known: FORMAT_VERSION,
    });
  const { name, stages, is_complete: isComplete, ended } = written;
  return {
    name: String(name),
    stages: Array.isArray(stages) ? stages.filter(isRecord) : [],
    isComplete: isComplete === true,
    ended: isEnd(ended) ? ended : undefined,
  };
}

function isEnd(value: unknown): value is RunEnd {
  return isFields(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
}

/** Whether a value is a record that this tool wrote; others are made again. */
function isRecord(value: unknown): value is StageRecord {
  return isFields(value) && typeof value['name'] === 'string' && isFields(value['identity']);
}
