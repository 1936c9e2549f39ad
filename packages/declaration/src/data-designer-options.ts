import type { ClusterConnection, JoinedRunEvent, JoinEvent } from '@data-designer/cluster';
import type { Home, RunSettings } from '@data-designer/config';
import type { UserFunction, Violation } from '@data-designer/core';
import type { ExportFormat } from '@data-designer/dataset';
import type { RunEvent } from '@data-designer/engine';
import type { GivenProviders } from './options/given-providers.ts';

/** The options of a `DataDesigner`, for all its datasets. */
export interface DataDesignerOptions {
  /** Folder of the datasets; default `./artifacts`. */
  readonly artifactPath?: string;
  /**
   * Providers of models and tools; they replace built-in ones of the same name, such as `simulator` and `demo-tools`. Tools
   * may be functions: `{ name, providerType: 'local', tools: [defineTool(…)] }`, or a `module` of them.
   */
  readonly providers?: GivenProviders;
  /** The user's models, tools and providers; default: read from the home folder. */
  readonly home?: Home;
  /** The settings of runs; see `setRunConfig`. */
  readonly runConfig?: RunSettings;
  /** Permissions of configs; all are denied by default. */
  readonly permissions?: Permissions;
  /** Folders whose images and other files cells may name, in addition to the dataset's own. */
  readonly mediaRoots?: readonly string[];
  /** A file of prices for models whose configs have none: your own list, or LiteLLM's file. */
  readonly prices?: string | undefined;
  /**
   * Modules that add types of columns, samplers, processors and seeds: a package installed in the working folder, a path or
   * an address. This program and its worker threads import them, so their code must be trusted.
   */
  readonly plugins?: readonly (string | URL)[];
  /** Called with each warning about a declaration before a run begins; must not throw. */
  readonly onWarning?: (warning: Violation) => void;
}

/** Permissions of a config, which may come from a stranger; all are denied by default. */
export interface Permissions {
  /** Whether a config from an address may read files of this machine. */
  readonly localFiles?: boolean;
  /** Names of environment variables that a config may use as secrets, in addition to `HF_TOKEN`; `HF_TOKEN` here allows it for other hosts. */
  readonly secrets?: readonly string[];
  /** Whether seeds and validators may use addresses of this machine and its network. */
  readonly privateAddresses?: boolean;
}

/** The signals that stop an operation. */
export interface StopOptions {
  /** Stops at once; received answers are kept. */
  readonly signal?: AbortSignal;
  /** Stops after the requests in flight are answered; no new ones are sent. */
  readonly drain?: AbortSignal;
}

/** The options of a validation. */
export interface ValidateOptions {
  /** Rows of the later run, for which a selection is checked; 10 if absent, but then no selection is checked for them. */
  readonly numRecords?: number | undefined;
}

/** The log of a run's calls. */
interface CallLogOptions {
  /**
   * A file to which each call to a model or a tool is appended when it ends, as a line of JSON without prompts and answers.
   * A file that cannot be written fails with `dataset/unwritable` before the first request.
   */
  readonly callLog?: string | undefined;
}

/** The options of a preview. */
export interface PreviewDatasetOptions extends StopOptions, CallLogOptions {
  /** Rows to make; default 10. */
  readonly numRecords?: number;
  /** Called with the events of tool servers and function tools; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** Whether to continue an existing dataset. */
export type ResumeMode = 'never' | 'always' | 'if_possible';

/** The cluster that makes a dataset: machines that share its folder and a Redis. */
export interface ClusterSettings {
  /** The Redis or Valkey of the cluster: an address such as `redis://host:6379`, or settings. */
  readonly connection: ClusterConnection;
  /** Whether this machine makes rows too; default true. */
  readonly work?: boolean;
  /** Seconds after which the row groups of a silent machine go to others, 1 or more; default 30. */
  readonly leaseSeconds?: number;
  /**
   * Makes this machine leave the run, which another one coordinates then; `create` rejects with `cluster/handed-over`. If
   * there is no other machine, the run ends as with `drain`.
   */
  readonly leave?: AbortSignal;
}

/** The options of `join`. */
export interface JoinRunOptions extends StopOptions {
  /** The Redis or Valkey of the cluster, as the machine that began the run names it. */
  readonly connection: ClusterConnection;
  /** Seconds after which `join` rejects with `cluster/no-run` if no run has begun; it waits on unless given. */
  readonly waitSeconds?: number;
  /** The functions of the config, by their handles, where it calls functions of the program that began the run. */
  readonly functions?: Readonly<Record<string, UserFunction>>;
  /**
   * Called with the events of this machine, and of each run in which it takes part with the folder of the run; must not
   * throw.
   */
  readonly onEvent?: (event: JoinEvent | JoinedRunEvent) => void;
}

/** The options of `create`. */
export interface CreateOptions extends StopOptions, CallLogOptions {
  /** Rows to make; default 10. */
  readonly numRecords?: number;
  /** Name of the dataset's folder; default `dataset`. A time is added if the name is taken. */
  readonly datasetName?: string;
  /**
   * `always` continues the dataset of this name: finished row groups stay, and journaled answers are replayed.
   * `if_possible` does so if that dataset exists and is compatible; else it begins a new one and reports why as an event.
   */
  readonly resume?: ResumeMode;
  /**
   * Re-requests journaled answers that no longer match their requests because a setting has changed, and rows in damaged
   * files; without it such a resume fails with `journal/void` or `dataset/damaged-rows` before its first request. Default
   * false.
   */
  readonly reRequest?: boolean;
  /**
   * With `resume`: makes the rows again that earlier runs have lost. Their failed cells are requested anew, and all others
   * keep the answers that were paid for. Throws `dataset/lost-rows-stay` where rows cannot be made one by one. Default false.
   */
  readonly retryLost?: boolean;
  /**
   * The format of the data files, `parquet` or `arrow`; default: that of the continued dataset, else `parquet`. With `jsonl`
   * or `csv` the run also exports all rows to `<name>.<format>` in the dataset's folder when it ends.
   */
  readonly format?: ExportFormat | undefined;
  /** The machines that make the dataset together; this one alone if absent. Others join with `join`. */
  readonly cluster?: ClusterSettings | undefined;
  /** Called with the events of the run; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}
