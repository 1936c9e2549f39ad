import type { Home, RunConfig } from '@data-designer/config';
import type { Violation } from '@data-designer/core';
import type { ExportFormat } from '@data-designer/dataset';
import type { RunEvent } from '@data-designer/engine';
import type { GivenProviders } from './options/given-providers.ts';

/** What a `DataDesigner` works with, whatever the dataset. */
export interface DataDesignerOptions {
  /** Folder of the datasets; default `./artifacts`. */
  readonly artifactPath?: string;
  /**
   * Providers of models and tools; `simulator` and `demo-tools` are built in, and one of the same name here wins. Tools
   * may be functions: `{ name, providerType: 'local', tools: [defineTool(…)] }`, or a `module` of them.
   */
  readonly providers?: GivenProviders;
  /** Models, tools and providers of the user; read from the home folder unless given. */
  readonly home?: Home;
  /** How runs go; see `setRunConfig`. */
  readonly runConfig?: Partial<RunConfig>;
  /** What dataset configs may do beyond what is safe for those of strangers. */
  readonly permissions?: Permissions;
  /** Folders whose pictures and other files cells may name, beside those of the dataset. */
  readonly mediaRoots?: readonly string[];
  /** What models cost where their configs do not say: a file of prices, our own or LiteLLM's. */
  readonly prices?: string;
  /**
   * Modules that add types of columns, samplers, processors and seeds, each by the name of its package, as the working folder has it, or by
   * its path or address. They are imported here and in the worker threads: their code is trusted as this program's is.
   */
  readonly plugins?: readonly (string | URL)[];
  /** Told what is no mistake but had better be known, before a run begins; must not throw. */
  readonly onWarning?: (warning: Violation) => void;
}

/** What a dataset config may do; nothing of it unless given. */
export interface Permissions {
  /** One that came from an address may read files of this machine. */
  readonly localFiles?: boolean;
  /** Environment variables that it may use as secrets beside HF_TOKEN, and HF_TOKEN itself at other hosts. */
  readonly secrets?: readonly string[];
  /** A seed of the Hub may come from a server of this machine or its network. */
  readonly privateAddresses?: boolean;
}

/** How long something may go on. */
export interface StopOptions {
  /** Stops at once; what was received is kept. */
  readonly signal?: AbortSignal;
  /** Asks for nothing more, waits for the answers under way, then stops. */
  readonly drain?: AbortSignal;
}

/** How a preview is made. */
export interface PreviewDatasetOptions extends StopOptions {
  /** Rows wanted; default 10. */
  readonly numRecords?: number;
  /** Told what tool servers and function tools do and say meanwhile; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}

/** Whether a dataset that is there is gone on with. */
export type ResumeMode = 'never' | 'always' | 'if_possible';

/** How a dataset is made. */
export interface CreateOptions extends StopOptions {
  /** Rows wanted; default 10. */
  readonly numRecords?: number;
  /** Name of the dataset's folder; default `dataset`. A time is added when it is taken. */
  readonly datasetName?: string;
  /**
   * `always` goes on with the dataset of this name: finished row groups stay, answers paid for are not asked again.
   * `if_possible` does so where that dataset is there and compatible; else a new one is begun, and an event says why.
   */
  readonly resume?: ResumeMode;
  /**
   * Buys answers again that were paid for and no longer fit what is asked, as something else than the declaration has
   * changed since, and makes rows in damaged files again; without it a resume fails with `journal/void` or
   * `dataset/damaged-rows` before it asks anything. Default false.
   */
  readonly rebuy?: boolean;
  /**
   * The format of the data files, `parquet` or `arrow`; default: that of the continued dataset, else `parquet`. With `jsonl`
   * or `csv` the run also exports all rows to `<name>.<format>` in the dataset's folder when it ends.
   */
  readonly format?: ExportFormat;
  /** Told what happens while the run goes; must not throw. */
  readonly onEvent?: (event: RunEvent) => void;
}
