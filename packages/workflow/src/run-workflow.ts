import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { LostWorkflow } from '@data-designer/cluster';
import { DataDesignerError, type Plan, type Violation } from '@data-designer/core';
import { datasetPaths, makeFolder, readFailures, refuseLocked, timeStampedName } from '@data-designer/dataset';
import { endOf, type RunEnd } from '@data-designer/engine';
import { stopSignals, DEFAULT_ROWS } from '@data-designer/declaration';
import type { DatasetCreationResults } from '@data-designer/results';
import { checkWorkflow, type WorkflowParts } from './check-workflow.ts';
import { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { growthOf, identityOfStage, isRefused, judgeStage, type Verdict } from './judge-stage.ts';
import { makeStage, type RunningWorkflow, type StartedStage } from './make-stage.ts';
import { mapOutput } from './map-output.ts';
import type { OwnWorkflow } from './own-workflow.ts';
import { planWorkflow } from './plan-workflow.ts';
import { declareStage, prepareInput } from './stage-input.ts';
import { outputOf, overriddenOutput, type StageOutput } from './stage-output.ts';
import type { Stage, WorkflowRunOptions } from './stage.ts';
import { runStages } from './run-stages.ts';
import { isLeft, lockWorkflow, openWorkflowCluster, orCannotLead } from './workflow-cluster.ts';
import { WorkflowLimits } from './workflow-limits.ts';
import { WorkflowProgress } from './workflow-progress.ts';
import { metadataPath, WorkflowMetadata } from './workflow-metadata.ts';

/**
 * Checks all stages, then makes, continues or reuses each in order; on a cluster, as the coordinator of its machines or in
 * the place of a lost one.
 */
export async function runWorkflow<Row, OwnRow>(
  parts: WorkflowParts,
  options: WorkflowRunOptions,
  { lost, own }: { readonly lost?: LostWorkflow; readonly own?: OwnWorkflow } = {},
): Promise<CompositeWorkflowResults<Row, OwnRow>> {
  const planned = planWorkflow(parts, options);
  const { numRecords = DEFAULT_ROWS, onEvent = () => {} } = options;
  await using limits = new WorkflowLimits(parts.maker, lost);
  const plans: Plan[] = [];
  const onPlan = (plan: Plan): void => void plans.push(plan);
  const check = checkWorkflow({ ...parts, stages: planned.wanted }, { numRecords, onPlan });
  const reports = await (lost ? orCannotLead(lost, check) : check);
  for (const plan of plans) limits.add(plan);
  await using cluster = await openWorkflowCluster(parts, options, { plans, lost });
  const wantedFolder = lost?.path ?? join(resolve(parts.maker.artifactPath), parts.name);
  const folder = lost?.path ?? (await folderOf(wantedFolder, options));
  own?.begin(cluster?.machines.run);
  await makeFolder(folder);
  await using lock = await lockWorkflow(folder, cluster);
  const metadata = await WorkflowMetadata.open(folder, parts, cluster && lock);
  await metadata.begin();
  // A stage that is recorded keeps its folder, also when another is put before it.
  const placed = (stage: Stage): Stage => ({ ...stage, folder: metadata.of(stage.name)?.stage_dir ?? stage.folder });
  // What the lost coordinator has made again is continued.
  const isMadeAgain = (stage: string): boolean => lost !== undefined && metadata.of(stage)?.cluster === lost.run;
  const forced = new Set([...planned.forced].filter((stage) => !isMadeAgain(stage)));
  const plan = { ...planned, forced, wanted: planned.wanted.map(placed) };
  const { maxCost } = parts.maker.settings();
  const told = { workflow: parts.name, path: folder, reports, numRecords, maxCost, onEvent };
  const progress = new WorkflowProgress(plan.wanted, told);
  const running: RunningWorkflow = {
    parts,
    plan,
    options: { ...options, onEvent: progress.take },
    folder,
    metadata,
    outputs: new Map(),
    results: new Map(),
    reused: new Set(),
    mapped: new Map(),
    empty: new Set(),
    limits,
    cluster,
    own,
  };
  const make = async (signal?: AbortSignal): Promise<RunEnd | null> => {
    const drains = [options.drain, cluster?.drain].filter((drain) => drain !== undefined);
    const stages = runStages(plan.wanted, (stage, stopped) => {
      cluster?.refuseLeft();
      const signals = { ...(signal && { signal }), drain: AbortSignal.any([...drains, stopped]) };
      const made = runStage(stage, { ...running, options: { ...running.options, ...signals } });
      return lost ? orCannotLead(lost, made) : made;
    });
    return recordEnd(stages, metadata);
  };
  const runs = plan.wanted.map((stage) => join(folder, stage.folder));
  const ended = await (cluster ? cluster.lead({ folder, runs, signal: options.signal }, make) : make(options.signal));
  return new CompositeWorkflowResults<Row, OwnRow>({
    name: parts.name,
    path: folder,
    divertedFrom: folder === wantedFolder ? null : wantedFolder,
    results: new Map(plan.wanted.flatMap(({ name }) => entryOf(running.results, name))),
    seconds: metadata.seconds(),
    // In the order of the stages: those that are reused at the same time end in any.
    reused: new Set(plan.wanted.map(({ name }) => name).filter((name) => running.reused.has(name))),
    mapped: running.mapped,
    finalStage: plan.finalStage,
    ended,
  });
}

/** Records how the stages have ended, for a machine that has coordinated the workflow before. */
async function recordEnd(stages: Promise<RunEnd | null>, metadata: WorkflowMetadata): Promise<RunEnd | null> {
  let end: RunEnd | null;
  try {
    end = await stages;
  } catch (thrown) {
    // The failure says more than a file that cannot be written.
    if (!isLeft(thrown)) await metadata.end(endOf(DataDesignerError.fromUnknown(thrown))).catch(() => {});
    throw thrown;
  }
  await metadata.end(end);
  return end;
}

function entryOf<Value>(map: ReadonlyMap<string, Value>, key: string): readonly [string, Value][] {
  const value = map.get(key);
  return value === undefined ? [] : [[key, value]];
}

/** The folder of this run: another one if a run that must not continue finds a workflow in it. */
async function folderOf(wanted: string, { resume = 'never' }: WorkflowRunOptions): Promise<string> {
  const exists = existsSync(metadataPath(wanted));
  if (!exists && (await isUnbegun(wanted))) return wanted;
  if (resume === 'always' && !exists) throw new DataDesignerError('dataset/missing', { path: wanted });
  return resume !== 'never' || !existsSync(wanted) ? wanted : freeFolder(wanted);
}

/** Whether a folder is empty but for the lock of a run that was killed before its first stage. */
async function isUnbegun(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => undefined);
  const { lock, clusters } = datasetPaths(folder);
  const isOwn = (name: string): boolean => name.startsWith(basename(lock)) || name === basename(clusters);
  if (!names?.every(isOwn)) return false;
  return refuseLocked(lock).then(
    () => true,
    () => false,
  );
}

/** The folder with the time in its name, and a number if that exists. */
function freeFolder(wanted: string): string {
  const name = timeStampedName(wanted, new Date());
  for (let copy = 1; ; copy++) {
    const folder = copy === 1 ? name : `${name}_${copy}`;
    if (!existsSync(folder)) return folder;
  }
}

/** Renames the folder of a stage that is made again: its answers are paid for. */
async function setAside(folder: string): Promise<void> {
  if (existsSync(folder)) await rename(folder, freeFolder(folder));
}

/** Whether lost rows of a stage may be made again; throws `dataset/lost-rows-stay` where a later stage has read its rows. */
async function mayRetry(
  { name }: Stage,
  {
    folder,
    verdict,
    running: { plan, metadata },
  }: { readonly folder: string; readonly verdict: Verdict; readonly running: RunningWorkflow },
): Promise<boolean> {
  if (verdict.action !== 'reuse' && verdict.action !== 'continue') return false;
  const reader = plan.wanted.find((one) => one.dependsOn.includes(name) && metadata.of(one.name) !== undefined);
  if (!reader) return true;
  if (!(await hasLostRows(folder))) return false;
  const reason = `the stage '${reader.name}' has read the rows of the stage '${name}'`;
  const remedy = `Make this stage and those after it again: --rerun-from ${name} (rerunFrom: '${name}') in place of --retry-lost (retryLost).`;
  throw new DataDesignerError('dataset/lost-rows-stay', { path: folder, reason, remedy });
}

async function hasLostRows(folder: string): Promise<boolean> {
  for await (const { onFailure } of readFailures(folder)) if (onFailure === 'drop_row') return true;
  return false;
}

/** Makes, continues or reuses a stage; returns why it ended early, or null. */
async function runStage(stage: Stage, running: RunningWorkflow): Promise<RunEnd | null> {
  const { parts, plan, options, folder, metadata, outputs } = running;
  const { onEvent = () => {}, resume = 'never' } = options;
  const place = { workflow: parts.name, folder, metadata };
  const upstream = stage.dependsOn.find((name) => running.empty.has(name));
  if (upstream !== undefined) return skipStage(stage, upstream, running);
  const input = await prepareInput(stage, outputs, place);
  for (const finding of input?.findings ?? [])
    onEvent({ type: 'stage-input', stage: stage.name, index: stage.index, ...finding });
  const declared = await declareStage(stage, input, place);
  const rows = stage.options.rows ?? input?.rows ?? options.numRecords ?? DEFAULT_ROWS;
  const warnings: Violation[] = [];
  const compiled = await parts.maker.compile(declared, {
    rows,
    selectedRows: rows,
    signals: stopSignals(options),
    onWarning: (warning) => warnings.push(warning),
  });
  running.own?.functions.set(join(folder, stage.folder), compiled.functions);
  const { seed } = parts.maker.settings();
  const identity = await identityOfStage(compiled, input, { rows, seed });
  const isForced = plan.forced.has(stage.name);
  const stageFolder = join(folder, stage.folder);
  const growth = await growthOf(metadata.of(stage.name), input, compiled);
  const verdict = judgeStage(metadata.of(stage.name), identity, { folder: stageFolder, isForced, growth });
  if (verdict.action === 'replace') {
    const { reason } = verdict;
    if (isRefused(verdict, resume, isForced))
      throw new DataDesignerError('workflow/changed', { workflow: parts.name, stage: stage.name, reason });
    onEvent({ type: 'stage-replace', stage: stage.name, index: stage.index, reason });
    await setAside(stageFolder);
  }
  const retryLost = options.retryLost === true && (await mayRetry(stage, { folder: stageFolder, verdict, running }));
  // Its rows may all be there but for the lost ones.
  const settled: Verdict = retryLost && verdict.action === 'reuse' ? { action: 'continue' } : verdict;
  const ready = { compiled, warnings };
  const started: StartedStage = { stage, declared, ready, input, identity, verdict: settled, rows, retryLost };
  const results = settled.action === 'reuse' ? await reuseStage(started, running) : await makeStage(started, running);
  if (!('path' in results)) return results;
  running.results.set(stage.name, results);
  running.limits.count(stage.name, results.cost);
  if (results.ended) return results.ended;
  const output = await outputOf(stage, results, {
    ...compiled,
    folder,
    inherited: input?.origins,
    content: metadata.of(stage.name)?.output_content,
  });
  await recordOutput(stage, output, metadata);
  const mapped = await mapStage(stage, output, running);
  const file = plan.overrides.get(stage.name);
  if (file === undefined && mapped.rows === 0) running.empty.add(stage.name);
  outputs.set(stage.name, file === undefined ? mapped : await overriddenOutput(mapped, file, place));
  return null;
}

/** Leaves out a stage whose input has no rows; the rows of an earlier run stay. */
async function skipStage(stage: Stage, upstream: string, { empty, metadata, options }: RunningWorkflow): Promise<null> {
  const record = metadata.of(stage.name);
  if (record) await metadata.put({ ...record, status: 'skipped_empty_upstream' });
  empty.add(stage.name);
  options.onEvent?.({ type: 'stage-skip', stage: stage.name, index: stage.index, upstream });
  return null;
}

/** The rows that a stage hands over, which its `map` may have changed, and records their file. */
async function mapStage(stage: Stage, output: StageOutput, running: RunningWorkflow): Promise<StageOutput> {
  const { parts, plan, options, folder, metadata } = running;
  const was = plan.forced.has(stage.name) ? null : metadata.of(stage.name)?.map_output;
  const place = { workflow: parts.name, folder, was: was ?? undefined, signals: stopSignals(options) };
  const { output: mapped, file } = await mapOutput(stage, output, place);
  if (file) running.mapped.set(stage.name, file);
  const record = metadata.of(stage.name);
  if (record && (record.map_output ?? null) !== file) {
    await metadata.put({
      ...record,
      status: mapped.rows === 0 ? 'completed_empty' : 'completed',
      output_records: mapped.rows,
      output_seed_path: file?.path ?? `${stage.folder}/parquet-files`,
      callback_output_path: file?.path ?? null,
      map_output: file,
    });
  }
  return mapped;
}

/** Records the hash of a stage's output, so that the next run need not read its files. */
async function recordOutput(
  { name }: Stage,
  { content, stamp }: StageOutput,
  metadata: WorkflowMetadata,
): Promise<void> {
  const record = metadata.of(name);
  if (!record || record.output_content?.stamp === stamp) return;
  await metadata.put({ ...record, output_content: { hash: content, stamp } });
}

async function reuseStage({ stage }: StartedStage, running: RunningWorkflow): Promise<DatasetCreationResults> {
  const results = await running.parts.maker.load(join(running.folder, stage.folder));
  running.reused.add(stage.name);
  const { count: rows, cost, knownCost } = results;
  const requests = Object.values(results.usage).reduce((sum, one) => sum + one.requests, 0);
  running.options.onEvent?.({
    type: 'stage-reuse',
    stage: stage.name,
    index: stage.index,
    rows,
    requests,
    cost,
    knownCost,
  });
  return results;
}
