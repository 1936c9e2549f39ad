import type { DataDesignerError, RowGroup, StopSignals, UserFunction } from '@data-designer/core';
import type { RunRecord } from '@data-designer/dataset';
import type { RunEvent } from '@data-designer/engine';
import type { Executor, GroupProgress, PreviewOptions, WorkflowSession } from '@data-designer/engine/parts';
import type { ModelState, RunGateway } from '@data-designer/gateway';
import type { Machine } from '../machine/machine.ts';
import type { MachineId } from '../machine/machine-id.ts';
import type { OpenedCluster } from '../machine/open-machine.ts';
import type { ClusterConnection } from '../redis/cluster-connection.ts';
import type { RedisWatch } from '../redis/redis-watch.ts';
import type { LedSession } from '../session/lead-session.ts';
import type { OwnCode } from '../start-record.ts';
import type { FoundRun } from './find-runs.ts';
import type { JoinedRunEvent, JoinEvent } from './join-event.ts';
import type { JoinProgress } from './join-progress.ts';

/** The providers, threads and permissions of a machine that joins. */
type MachineOptions = Omit<
  PreviewOptions,
  'tables' | 'skippedProbes' | 'ends' | 'functions' | 'admission' | 'maxConcurrentRowGroups' | 'onEvent'
>;

/** A workflow whose coordinator is lost and whose lease this machine has. */
export interface LostWorkflow extends LedSession {
  /** The id of its session. */
  readonly run: string;
  /** The folder of the workflow. */
  readonly path: string;
  readonly leaseMs: number;
  /** What the lost coordinator has left for its successor, or why it has left nothing. */
  readonly successor: WorkflowSession['successor'];
  /** How long the workflow has taken so far. */
  readonly spentSeconds: number;
}

/** How a machine joins a run. */
export interface JoinParts extends MachineOptions, Pick<OwnCode, 'version'> {
  readonly folder: string;
  /** The run to join, where this machine has coordinated it; any run unless given. */
  readonly run?: string | undefined;
  readonly connection: ClusterConnection;
  /** How long it waits for a run to begin; no limit unless given. */
  readonly waitSeconds?: number | undefined;
  /** The functions of the program that began the run, by their handles. */
  readonly functions: ReadonlyMap<string, UserFunction>;
  /** The plug-ins of this machine, where they lie elsewhere than on the machine that began the run. */
  readonly plugins: readonly string[];
  /** The digests of this machine's code, for these plug-ins and functions. */
  readonly digests: (plugins: readonly string[], functions: JoinParts['functions']) => Promise<OwnCode['code']>;
  /** The functions of the run in a folder, in the program that began it, if those of the runs of a session differ. */
  readonly functionsIn?: ((folder: string) => JoinParts['functions']) | undefined;
  /** Whether this program has coordinated the run or session: then it can continue a workflow, whatever its record says. */
  readonly isOwn?: boolean;
  /** Continues a workflow; throws `cluster/cannot-lead` before it changes anything. */
  readonly leadWorkflow: (lost: LostWorkflow, signals: StopSignals) => Promise<void>;
  /** Must not throw. */
  readonly onEvent: (event: JoinEvent | JoinedRunEvent) => void;
}

/** What the part of a machine in one run or session uses; its signals also stop it when another part fails. */
export interface PartOptions extends Omit<JoinParts, 'folder' | 'run' | 'onEvent'> {
  readonly machine: MachineId;
  readonly joinProgress: JoinProgress;
  /** Reports what is wrong with Redis. */
  readonly watch: RedisWatch;
  /** Whether Redis has answered this machine before. */
  readonly isKnown: boolean;
  /** The coordinator has seen this machine's file in the shared folder. */
  readonly onAccepted: () => void;
  /** Called when the run ends before all rows are made. */
  readonly onEnding: (reason: DataDesignerError) => void;
  /** Called with the failure that ends the part, before it has given its row groups back: the others leave meanwhile. */
  readonly onFailure: (failure: unknown) => void;
  readonly onJoinEvent: (event: JoinEvent) => void;
  readonly onEvent: (event: RunEvent) => void;
}

/** A machine that has joined a run, with all that it needs to coordinate it. */
export interface JoinedMachine {
  readonly machine: Machine;
  /** Tool configs whose tools run on the coordinator only, so that this machine makes groups if it takes its place. */
  readonly standsByFor: readonly string[];
  readonly opened: OpenedCluster;
  readonly found: FoundRun;
  readonly stored: RunRecord;
  readonly groups: readonly RowGroup[];
  readonly local: Executor;
  readonly gateway: RunGateway;
  /** Take the progress of this machine's groups, and the states of its models. */
  readonly listeners: Listeners;
  readonly parts: PartOptions;
}

export interface Listeners {
  readonly onProgress: Set<(groups: readonly GroupProgress[]) => void>;
  readonly onModels: Set<(states: readonly ModelState[]) => void>;
}
