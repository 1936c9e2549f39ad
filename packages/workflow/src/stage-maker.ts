import type { ClusterMachines, LostWorkflow, WorkflowShare } from '@data-designer/cluster';
import type { DatasetConfig, Home, RunConfig, WrittenDataset } from '@data-designer/config';
import type { Plan, Resource, StopSignals, UserFunction, Violation } from '@data-designer/core';
import type { AliasCheck, RedisEvent, RunEvent } from '@data-designer/engine';
import type { GatewayThread, SharedThread } from '@data-designer/gateway';
import type { TableSource } from '@data-designer/seeds';
import type { ClusterSettings, CreateOptions, Declared, StopOptions } from '@data-designer/declaration';
import type { Rehearsal, RehearsalRates } from '@data-designer/rehearsal';
import type { DatasetCreationResults } from '@data-designer/results';

/** What the machines of a cluster are to make. */
export interface ClusterWork {
  /** One plan, or those of the stages of a workflow. */
  readonly plans: readonly Plan[];
  /** The workflow, if its coordinator is lost. */
  readonly lost?: LostWorkflow | undefined;
  /** Called with what is wrong with Redis; must not throw. */
  readonly onEvent: (event: RedisEvent) => void;
}

/** Where a stage is made, and what it may still spend. */
export interface StagePlace {
  /** The name of the stage, for logs. */
  readonly stage: string;
  readonly artifactPath: string;
  /** The I/O thread of all stages; undefined for a stage that uses none. */
  readonly shared: SharedThread | undefined;
  /** Seconds of the workflow's time limit that are over. */
  readonly spentSeconds: number;
  /** The folders of the stages that it reads, whose images its cells may name. */
  readonly mediaRoots: readonly string[];
  /** Whether its input begins with the rows of the input that its dataset has so far. */
  readonly extendsInput: boolean;
  /** The machines of the workflow, and the limits that its stages share on them; absent on one machine. */
  readonly cluster: { readonly machines: ClusterMachines; readonly limits: WorkflowShare } | undefined;
  /** The stage as this run compiled it; absent where its dataset or its machines make it compile otherwise. */
  readonly ready: ReadyStage | undefined;
}

/** A compiled stage. */
export interface CompiledStage {
  readonly plan: Plan;
  readonly config: DatasetConfig;
  /** The models and tool configs as they are declared. */
  readonly aliases: { readonly modelConfigs: readonly unknown[]; readonly toolConfigs: readonly unknown[] };
  readonly tables: readonly TableSource[];
  /** The functions in the config, by their handles. */
  readonly functions: ReadonlyMap<string, UserFunction>;
  /** The model aliases that are not probed, with the reason for each. */
  readonly skippedProbes: ReadonlyMap<string, string>;
  /** Names the changes since the declaration of an earlier run, in file form. */
  readonly changesSince: (written: unknown) => Promise<readonly Violation[]>;
}

/** A stage that is compiled for a run, and its warnings, which nobody has seen yet. */
export interface ReadyStage {
  readonly compiled: CompiledStage;
  readonly warnings: readonly Violation[];
}

/** How a stage is compiled. */
interface CompileStageOptions {
  readonly rows: number;
  /** The rows that its selection must accept; absent if they depend on the output of another stage. */
  readonly selectedRows?: number | undefined;
  readonly signals: Required<StopOptions>;
  /** Called with each warning; none is reported by default. */
  readonly onWarning?: (warning: Violation) => void;
}

/** How a plan, or a stage of a workflow, is rehearsed. */
export interface RehearseStageOptions {
  readonly rates: RehearsalRates;
  readonly signals: Required<StopOptions>;
  /** Where the rows of a stage's sample stay, for the stages that read them. */
  readonly place?: Pick<StagePlace, 'artifactPath' | 'mediaRoots'> & { readonly datasetName: string };
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** A rehearsed stage. */
interface RehearsedStage {
  readonly rehearsal: Rehearsal;
  readonly compiled: CompiledStage;
  /** The rows of its sample. */
  readonly results: DatasetCreationResults;
}

/** How this machine works on a workflow that it has coordinated. */
interface RejoinWorkflowOptions {
  /** The id of its session. */
  readonly run: string;
  /** The functions of the stage in a folder. */
  readonly functionsIn: (folder: string) => ReadonlyMap<string, UserFunction>;
  /** Continues the workflow if its other coordinator is lost. */
  readonly leadWorkflow: (lost: LostWorkflow, signals: StopSignals) => Promise<void>;
  readonly cluster: ClusterSettings;
  readonly signals: Required<StopOptions>;
  readonly onEvent: (event: RunEvent) => void;
}

/** What a workflow uses of a `DataDesigner`. */
export interface StageMaker {
  readonly artifactPath: string;
  readonly home: Home;
  readonly settings: () => RunConfig;
  readonly compile: (declared: Declared, options: CompileStageOptions) => Promise<CompiledStage>;
  readonly create: (
    declared: Declared,
    options: CreateOptions & { readonly place: StagePlace },
  ) => Promise<DatasetCreationResults>;
  readonly rehearse: (declared: Declared, options: RehearseStageOptions) => Promise<RehearsedStage>;
  readonly checkAliases: (
    compiled: Pick<CompiledStage, 'plan' | 'skippedProbes'>,
    signals: Required<StopOptions>,
  ) => Promise<readonly AliasCheck[]>;
  /** Starts an I/O thread for all stages, with the limits of these resources. */
  readonly openThread: (resources: readonly Resource[]) => GatewayThread;
  /** Connects to a cluster as the coordinator of a workflow, or of one whose coordinator is lost. Throws `cluster/*`. */
  readonly openCluster: (settings: ClusterSettings, work: ClusterWork) => Promise<ClusterMachines>;
  /** Works on a workflow that another machine has taken over, until it is over; returns its folder. Throws any other failure. */
  readonly rejoin: (failure: unknown, options: RejoinWorkflowOptions) => Promise<string>;
  readonly load: (path: string, options?: { readonly unfinished?: boolean }) => Promise<DatasetCreationResults>;
  /** The config in file form. */
  readonly written: (config: DatasetConfig) => Promise<WrittenDataset>;
}
