import {
  type Batch,
  DataDesignerError,
  isFailure,
  type Plan,
  type PlannedProcessor,
  rowsIn,
} from '@data-designer/core';
import {
  batchOf,
  ChecksumLog,
  chunksOf,
  type DatasetFolder,
  finishRewrite,
  readBatch,
  readStreams,
  rewriteBatches,
  writeJsonFile,
} from '@data-designer/dataset';
import { isFromFileSystem } from '@data-designer/dataset/journal';
import { streamBytes } from '@data-designer/dataset/write';
import { localFunctions } from '../functions/local-functions.ts';
import { applyProcessor } from '../row-group/apply-processor.ts';
import type { RunOptions } from '../run-options.ts';

/** How a dataset is processed once all its rows are made. */
type AfterGenerationOptions = Pick<RunOptions, 'format' | 'functions' | 'signal' | 'onEvent'>;

/** How the processors call functions of the program, and report those that run for long. */
type CallOptions = Pick<AfterGenerationOptions, 'functions' | 'signal' | 'onEvent'>;

/** The processors that run once, after generation. */
function lastProcessors({ processors }: Plan): readonly PlannedProcessor[] {
  return processors.filter(({ stage }) => stage === 'after_generation');
}

/** Runs the after-generation processors on a batch, in order; they may add and remove rows. Throws `processor/*`. */
async function processLast(batch: Batch, plan: Plan, { functions, signal, onEvent }: CallOptions): Promise<Batch> {
  const onWait = (name: string, seconds: number): void =>
    onEvent({ type: 'function-wait', function: name, seconds, isBlocking: false });
  const caller = localFunctions(functions, { signal, onWait });
  let current = batch;
  for (const processor of lastProcessors(plan)) {
    if (current.rows > 0)
      current = await applyProcessor(current, { processor, functions: caller, mayChangeRows: true });
  }
  return current;
}

/** The rows that a processor is given at once do not depend on their bytes. */
const PROCESSED_TOGETHER = { rows: 5000, bytes: Number.POSITIVE_INFINITY };

/**
 * Runs the after-generation processors on a complete dataset, once. Rewrites its files one batch at a time and replaces
 * them together at the end. Returns the remaining rows; undefined where no processor runs.
 */
export async function processDataset(
  folder: DatasetFolder,
  plan: Plan,
  options: AfterGenerationOptions,
): Promise<number | undefined> {
  if (lastProcessors(plan).length === 0 || (await isProcessed(folder))) return undefined;
  let rows = 0;
  const batchesOf = async function* (path: string): AsyncGenerator<Batch> {
    for await (const batch of chunksOf(readBatch(path), plan.fields, PROCESSED_TOGETHER)) {
      options.signal.throwIfAborted();
      const made = await processLast(batch, plan, options);
      rows += made.rows;
      yield made;
    }
  };
  await rewriteBatches(folder.paths, {
    fields: plan.fields,
    format: options.format,
    ...(plan.layout ? { layout: plan.layout } : {}),
    batchesOf,
  });
  await finishProcessing(folder);
  return rows;
}

/** Replaces the files by the processed ones, also where an earlier run was interrupted in that. */
function finishProcessing(folder: DatasetFolder): Promise<void> {
  return finishRewrite(folder.paths, () => folder.updateMetadata(PROCESSED));
}

/** Whether the dataset was processed, so that no rows can be added. */
async function isProcessed(folder: DatasetFolder): Promise<boolean> {
  return (await folder.readMetadata())?.post_generation_processed === true;
}

/**
 * Replaces an unreadable `metadata.json`, which can be derived from the dataset's files. The checksums tell whether the
 * dataset was processed as a whole; without them that is `dataset/damaged`.
 */
export async function replaceDamagedMetadata(
  folder: DatasetFolder,
  plan: Plan,
  { onEvent }: Pick<RunOptions, 'onEvent'>,
): Promise<void> {
  const { metadata: path } = folder.paths;
  try {
    await folder.readMetadata();
  } catch (damage) {
    if (!isFailure(damage, 'dataset/damaged') || isFromFileSystem(damage.cause)) throw damage;
    const checksums = await new ChecksumLog(folder.paths).read();
    const sums = await Promise.all((await folder.batches()).map((file) => checksums.of(file.path)));
    const wasProcessed = sums.some((sum) => sum?.processed);
    // A file that NeMo Data Designer made has no checksum.
    if (!wasProcessed && lastProcessors(plan).length > 0 && sums.includes(undefined)) throw damage;
    await writeJsonFile(path, wasProcessed ? { ...PROCESSED, target_num_records: rowsIn(plan.segments) } : {});
    onEvent({ type: 'metadata-derive', path, reason: damage.data.reason });
  }
}

const PROCESSED = { post_generation_state: 'complete', post_generation_processed: true } as const;

/** Refuses to add rows to a dataset that was processed as a whole: `dataset/terminal`. */
export async function refuseTerminal(folder: DatasetFolder, plan: Plan): Promise<void> {
  await finishProcessing(folder);
  const metadata = await folder.readMetadata();
  if (metadata?.post_generation_processed !== true) return;
  const had = metadata.target_num_records ?? 0;
  const wanted = rowsIn(plan.segments);
  if (had !== wanted) throw new DataDesignerError('dataset/terminal', { path: folder.path, had, wanted });
}

/** Processes the Arrow IPC streams of a preview; `rows` is absent where no processor runs. */
export async function processStreams(
  streams: readonly Uint8Array[],
  plan: Plan,
  options: CallOptions,
): Promise<{ readonly streams: readonly Uint8Array[]; readonly rows?: number }> {
  if (lastProcessors(plan).length === 0) return { streams };
  const records = await Array.fromAsync(readStreams(streams));
  const made = await processLast(batchOf(records, plan.fields), plan, options);
  return { streams: [await streamBytes(made)], rows: made.rows };
}
