import { createHash } from 'node:crypto';
import { relative, resolve, sep } from 'node:path';
import { rowGroups, isFields, type Plan, type Resource, type RowGroup } from '@data-designer/core';
import { type ClusterPaths, type DatasetPaths, hashFile, readJsonFile, writeJsonFile } from '@data-designer/dataset';
import type { EndSettings, RunOptions, SummaryState, WorkflowSession } from '@data-designer/engine/parts';

/** What the machines of a run or session must have in common. */
interface SharedRecord extends OwnCode, OwnPermissions {
  /** The handles of the functions of the program that began the run. */
  readonly functions: readonly string[];
  /** The folders of earlier stages with the images that its cells name, relative to its own. */
  readonly imageFolders: readonly string[];
  readonly host: string;
  readonly leaseMs: number;
}

/** How the first machine coordinates a run. */
interface CoordinationRecord {
  readonly ends: EndSettings;
  readonly compact: boolean | null;
  readonly admission: RunOptions['admission'];
  readonly maxConcurrentRowGroups: number;
}

interface SessionFolders extends SharedRecord {
  /** The folders of the runs, relative to that of the session. */
  readonly runs: readonly string[];
}

/** What a machine needs to go on with a selection. */
export interface SelectionRecord extends SessionFolders, CoordinationRecord {
  readonly kind: 'selection';
  /** The limits of the workflow whose stage it is; absent for a selection of its own. */
  readonly limits?: JointLimits | undefined;
  /** The number of seed tables. */
  readonly tables: number;
  readonly skippedProbes: readonly (readonly [alias: string, reason: string])[];
}

/** What a machine needs to go on with a workflow. */
export interface WorkflowRecord extends SessionFolders {
  readonly kind: 'workflow';
  readonly successor: WorkflowSession['successor'];
}

/** Several runs that make one thing. */
export type SessionRecord = SelectionRecord | WorkflowRecord;

/** The limits of a run that other runs share: the stages of a workflow that are made at the same time. */
export interface JointLimits {
  /** The name of the limits in Redis. */
  readonly id: string;
  /** The resources of all these runs. */
  readonly resources: readonly Resource[];
  /** The cost of all their answers before they began. */
  readonly spentBefore: number;
  /** The name of the run among them. */
  readonly account: string;
  /** What those have cost that are over, by the folder. */
  readonly made: Readonly<Record<string, number>>;
}

/** The part of a run in the limits of its workflow. */
export interface WorkflowShare extends Pick<JointLimits, 'id' | 'resources'> {
  /**
   * The cost of all answers of the workflow before its coordinator began, for a run of which `own` were paid before; of the
   * other stages if that is not known yet.
   */
  readonly spentBefore: (own?: number) => number;
  /** The name of the run among those of the workflow; of all later ones of its stage if `own` is not known yet. */
  readonly account: (own?: number) => string;
  /** What the runs have cost that are over now. */
  readonly made: () => JointLimits['made'];
}

/** The limits that a run shares, as others read them; undefined for a run with limits of its own. */
export function jointLimits(share: WorkflowShare | undefined, own?: number): JointLimits | undefined {
  if (!share) return undefined;
  const { id, resources } = share;
  return { id, resources, spentBefore: share.spentBefore(own), account: share.account(own), made: share.made() };
}

/** The facts, in addition to `run.json`, with which a machine joins a run and coordinates it. */
export interface StartRecord extends SharedRecord, CoordinationRecord {
  /** The SHA-256 of `run.json`. */
  readonly plan: string;
  readonly name: string;
  /** The groups to make. */
  readonly groups: readonly number[];
  readonly summary: SummaryState;
  readonly voided: readonly (readonly [group: number, answers: number])[];
  readonly spentBefore: number;
  /** The limits that it shares with other runs; its own if absent. */
  readonly limits?: JointLimits | undefined;
}

/** The version and code of a machine. */
export interface OwnCode {
  /** The version of the package. */
  readonly version: string;
  /** The digests of the code that the run calls, by a name for messages. */
  readonly code: Readonly<Record<string, string>>;
}

/** What the cells of a machine may read. */
interface OwnPermissions {
  /** The number of its media roots. */
  readonly mediaRoots: number;
  readonly allowPrivate: boolean;
}

/** What the machine that begins a run has, and what others need too. */
export interface OwnParts extends OwnCode, Partial<OwnPermissions> {
  /** The handles of the functions of its program. */
  readonly functions?: readonly string[] | undefined;
  /** The folders of earlier stages with the images that its cells name. */
  readonly imageFolders?: readonly string[] | undefined;
}

/** The part of a record that says what other machines need for the run in a folder. */
export function sharedParts(
  { version, code, functions = [], mediaRoots = 0, allowPrivate = false, imageFolders = [] }: OwnParts,
  folder: string,
) {
  const within = (path: string): string => relative(folder, path).split(sep).join('/');
  return { version, code, functions, mediaRoots, allowPrivate, imageFolders: imageFolders.map(within) };
}

/** The folders of earlier stages on this machine. */
export function imageFoldersOf({ imageFolders }: Pick<SharedRecord, 'imageFolders'>, folder: string): string[] {
  return imageFolders.map((path) => resolve(folder, path));
}

/** Writes the record, atomically: from now on machines may join. */
export async function writeStart(
  { start }: ClusterPaths,
  { run }: DatasetPaths,
  record: Omit<StartRecord, 'plan'>,
): Promise<StartRecord> {
  const whole = { ...record, plan: await digestOf(run) };
  await writeJsonFile(start, whole);
  return whole;
}

/** Writes the record of a session, atomically: from now on machines may join its runs. */
export async function writeSession({ start }: ClusterPaths, record: SessionRecord): Promise<void> {
  await writeJsonFile(start, record);
}

/** The record of a run or of a session, also once its rows are made; undefined before it begins. */
export async function readStart({
  start,
  finishing,
}: Pick<ClusterPaths, 'start' | 'finishing'>): Promise<StartRecord | SessionRecord | undefined> {
  const record = (await readJsonFile(start, { exact: false })) ?? (await readJsonFile(finishing, { exact: false }));
  return isRecord(record) ? record : undefined;
}

/** Names the version of a run if a machine has another one. */
export function lackedVersion({ version }: OwnCode, own: string): readonly string[] {
  return version === own ? [] : [`version ${version} of data-designer (it has ${own})`];
}

/** Names the plan and the code of a run of which a machine has another version, or none. */
export async function lackedCode(
  record: StartRecord | SessionRecord,
  { run }: Pick<DatasetPaths, 'run'>,
  code: OwnCode['code'],
): Promise<readonly string[]> {
  // The plan of a session changes between its runs.
  const plan = 'plan' in record ? { 'run.json': record.plan } : {};
  const own = new Map(Object.entries(code));
  if ('plan' in record) own.set('run.json', await digestOf(run));
  return Object.entries({ ...plan, ...record.code }).flatMap(([name, digest]) => {
    const here = own.get(name);
    if (here === digest) return [];
    return here === undefined
      ? [`the ${name}`]
      : [`the same ${name} (it has ${short(here)}, the run ${short(digest)})`];
  });
}

async function digestOf(path: string): Promise<string> {
  return (await hashFile(createHash('sha256'), path)).digest('hex');
}

function short(digest: string): string {
  return `sha256:${digest.slice(0, 12)}`;
}

/** The row groups of a record. */
export function groupsOf(plan: Plan, { groups }: Pick<StartRecord, 'groups'>): readonly RowGroup[] {
  const wanted = new Set(groups);
  return [...rowGroups(plan)].filter(({ index }) => wanted.has(index));
}

function isRecord(value: unknown): value is StartRecord | SessionRecord {
  return (
    isFields(value) && typeof value.version === 'string' && (Array.isArray(value.groups) || Array.isArray(value.runs))
  );
}
