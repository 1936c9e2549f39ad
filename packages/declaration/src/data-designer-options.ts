import type { ClusterConnection, JoinedRunEvent, JoinEvent } from '@data-designer/cluster';
import type { Home, RunSettings } from '@data-designer/config';
import type { UserFunction, Violation } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import type { GivenProviders } from './options/given-providers.ts';
import type { OptionsOf } from './options/run-options.ts';

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
  /** Further folders, beside that of the dataset, whose images and other files cells may name. */
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
export interface ValidateOptions extends OptionsOf<'validate'> {}

/** The options of a preview. */
export interface PreviewDatasetOptions extends StopOptions, OptionsOf<'preview'> {
  /** Called with the events of tool servers and function tools; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
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
   * Called with the events of this machine, and with the events of each run that it joins and the folder of the run; must not
   * throw.
   */
  readonly onEvent?: (event: JoinEvent | JoinedRunEvent) => void;
}

/** The options of `create`. */
export interface CreateOptions extends StopOptions, OptionsOf<'create'> {
  /** Called with the events of the run; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}
