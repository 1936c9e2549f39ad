import type { ClusterConnection } from '@data-designer/cluster';
import type { RunSettings } from '@data-designer/config';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';

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
   * Makes this machine leave the run. Another machine then coordinates the run, and `create` rejects with
   * `cluster/handed-over`. If there is no other machine, the run ends as with `drain`.
   */
  readonly leave?: AbortSignal;
}

/** The calls that take options of this table: `run` is that of a workflow. */
export type RunCall = 'validate' | 'preview' | 'create' | 'run';

/** How the values of an option are written. */
export type ValueKind =
  | 'whole'
  | 'amount'
  | 'duration'
  | 'choice'
  | 'flag'
  | 'text'
  | 'path'
  | 'names'
  | 'pairs'
  | 'cluster';

/** The values that an option may have. */
export interface OptionValues<Value> {
  readonly kind: ValueKind;
  /** The noun for such a value, with its article. */
  readonly noun: string;
  /** All values, if they are few. */
  readonly words?: readonly Value[];
  /** The smallest whole number. */
  readonly least?: number;
}

/** An option of runs, from which its type, its check, its flag, its MCP argument and their descriptions follow. */
export interface RunOption<Value, Call extends RunCall = RunCall> extends OptionValues<Value> {
  /** The calls that take it. */
  readonly calls: readonly Call[];
  /** The flag of commands; absent if an option has none, or one for each of its parts. */
  readonly flag?: string;
  /** The group of the flag in the help. */
  readonly group?: string;
  /** Describes it in the help and to MCP clients; other options are named in backticks. */
  readonly text: string;
  /** Describes the flag that says no to a boolean one, such as `--no-compact`. */
  readonly textOfNo?: string;
  /** What some readers are told instead. */
  readonly texts?: Readonly<Partial<Record<RunCall | 'mcp', string>>>;
  /** The default value, if it is one. */
  readonly preset?: Value;
  /** Whether MCP clients may give it; their argument is the name in snake case. */
  readonly forClients?: boolean;
  /** Whether another machine that takes a workflow over runs it with the same value. */
  readonly recorded?: boolean;
}

/** The rows of a run whose caller names no number. */
export const DEFAULT_ROWS = 10;

const whole = (least: number, noun: string): OptionValues<number> => ({ kind: 'whole', noun, least });
const choice = <Word extends string>(noun: string, words: readonly Word[]): OptionValues<Word> => ({
  kind: 'choice',
  noun,
  words,
});
const flag: OptionValues<boolean> = { kind: 'flag', noun: 'a boolean' };
const amount: OptionValues<number> = { kind: 'amount', noun: 'an amount' };
const duration: OptionValues<number> = { kind: 'duration', noun: 'a time in seconds' };
const text = (noun: string): OptionValues<string> => ({ kind: 'text', noun });
const path: OptionValues<string> = { kind: 'path', noun: 'a path' };
const names: OptionValues<string | readonly string[]> = { kind: 'names', noun: 'names' };
const pairs: OptionValues<Readonly<Record<string, string>>> = { kind: 'pairs', noun: 'an object' };
const cluster: OptionValues<ClusterSettings> = { kind: 'cluster', noun: 'an object' };

function option<Value, const Call extends RunCall>(
  values: OptionValues<Value>,
  rest: Omit<RunOption<NoInfer<Value>, Call>, keyof OptionValues<unknown>>,
): RunOption<Value, Call> {
  return { ...values, ...rest };
}

const WORKFLOWS = 'Workflows:';

/** The options of runs. The comment of each is its documentation in the API. */
export const runOptions = {
  /**
   * Number of rows to make; in a workflow, of the stages without input and without `rows`. Default 10. The check of a
   * selection uses this number.
   */
  numRecords: option(whole(1, 'a number of rows'), {
    calls: ['validate', 'preview', 'create', 'run'],
    flag: '-n, --num-records <n>',
    text: `Number of records; in a workflow, of the stages without input (default: ${DEFAULT_ROWS})`,
    texts: {
      validate: 'Number of records of the later run; needed to check a selection',
      mcp: 'Records to make',
    },
    forClients: true,
    recorded: true,
  }),
  /** Name of the dataset's folder; default `dataset`. A time is added if the name is taken. */
  datasetName: option(text('a folder name'), {
    calls: ['create'],
    flag: '-d, --dataset-name <name>',
    text: 'Name of the dataset folder; a time is added if the name is taken',
    preset: 'dataset',
    forClients: true,
  }),
  /**
   * `always` continues the dataset of this name: finished row groups stay, and journaled answers are replayed.
   * `if_possible` does so if that dataset exists and is compatible; else it begins a new one and reports why as an event.
   * In a workflow, `always` throws `workflow/changed` for a stage that has changed, and `if_possible` makes such a stage
   * again, with those after it whose input changes. Default `never`.
   */
  resume: option(choice<ResumeMode>('a resume mode', ['never', 'always', 'if_possible']), {
    calls: ['create', 'run'],
    flag: '-r, --resume <when>',
    text: 'always: continue the dataset of this name; if_possible: start a new one if it cannot be continued',
    preset: 'never',
    forClients: true,
    recorded: true,
  }),
  /**
   * Re-requests journaled answers that no longer match their requests because a setting has changed, and rows in damaged
   * files; without it such a resume fails with `journal/void` or `dataset/damaged-rows` before its first request. Default
   * false.
   */
  reRequest: option(flag, {
    calls: ['create', 'run'],
    flag: '--re-request',
    text: 'With `resume`: pay again for answers that a setting outside the config has changed, and for damaged rows',
    preset: false,
    forClients: true,
    recorded: true,
  }),
  /**
   * With `resume`: makes the rows again that earlier runs have lost. In a workflow, it does so for stages that no later
   * stage has read. Failed cells of these rows are requested again, and all other cells keep their paid answers. Throws
   * `dataset/lost-rows-stay` where rows cannot be made one by one. Default false.
   */
  retryLost: option(flag, {
    calls: ['create', 'run'],
    flag: '--retry-lost',
    text: 'With `resume`: make lost rows again; only their failed cells are paid for',
    preset: false,
    forClients: true,
    recorded: true,
  }),
  /**
   * The format of the data files, `parquet` or `arrow`; default: that of the continued dataset, else `parquet`. With `jsonl`
   * or `csv` the run also exports all rows to `<name>.<format>` in the dataset's folder when it ends.
   */
  format: option(choice('a dataset format', EXPORT_FORMATS), {
    calls: ['create'],
    flag: '-f, --format <format>',
    text: 'File format; jsonl and csv add an export to <name>.<format> (default: parquet, or the format of the resumed dataset)',
  }),
  /**
   * A file to which each call to a model or a tool is appended when it ends, as a line of JSON without prompts and answers.
   * A file that cannot be written fails with `dataset/unwritable` before the first request.
   */
  callLog: option(path, {
    calls: ['preview', 'create', 'run'],
    flag: '--call-log <file>',
    text: 'Append each call to a model or a tool to this file, as a line of JSON',
  }),
  /** The machines that make the dataset, or the stages, together; this one alone if absent. Others join the folder with `join`. */
  cluster: option(cluster, { calls: ['create', 'run'], text: '' }),
  /** The stages to make, with those that they need; default: all. */
  targets: option(names, {
    calls: ['run'],
    flag: '--targets <names>',
    group: WORKFLOWS,
    text: 'Make these stages and those that they need; comma-separated',
    recorded: true,
  }),
  /** Makes this stage and all that depend on it again. */
  rerunFrom: option(text('a text'), {
    calls: ['run'],
    flag: '--rerun-from <stage>',
    group: WORKFLOWS,
    text: 'With `resume`: make this stage again, with all stages that depend on it',
    recorded: true,
  }),
  /** Parquet files that replace the output of stages, by the name of the stage; for this run only. */
  overrides: option(pairs, {
    calls: ['run'],
    flag: '--override <stage=file>',
    group: WORKFLOWS,
    text: 'Replace the output of a stage by a Parquet file; repeatable',
    recorded: true,
  }),
};

const SETTINGS = 'Models, tools and settings:';
const LIMITS = 'Limits:';
const ALL = ['validate', 'preview', 'create', 'run'] as const;

/** The run settings that have a flag; `config/schemas/run-config.ts` declares their values and defaults. */
export const flaggedSettings = {
  seed: option(whole(0, 'a whole number'), {
    calls: ALL,
    flag: '--seed <n>',
    group: SETTINGS,
    text: 'Seed of the run; the same seed draws the same values (default: random)',
    forClients: true,
  }),
  maxCost: option(amount, {
    calls: ALL,
    flag: '--max-cost <amount>',
    group: LIMITS,
    text: 'Stop the run when its answers cost this much, in the currency of the prices; finished rows are kept',
    forClients: true,
  }),
  maxDurationSeconds: option(duration, {
    calls: ALL,
    flag: '--max-time <time>',
    group: LIMITS,
    text: 'Stop the run after this time, such as 90s, 30m, 2h or 1d; finished rows are kept',
  }),
  compact: option(flag, {
    calls: ['create', 'run'],
    flag: '--compact',
    text: 'Merge small files at the end (default: only if there are more than 1,000)',
    textOfNo: 'Keep one file per row group: do not merge small files',
  }),
} satisfies Readonly<Partial<Record<keyof RunSettings, RunOption<unknown>>>>;

/** The options of tables of them, by name. */
export type OptionTable = Readonly<Record<string, RunOption<unknown>>>;

/** The values of the options of a table, each of which may be left out. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]?: (Table[Name] extends RunOption<infer Value> ? Value : never) | undefined;
};

type NamesFor<Call extends RunCall> = {
  [Name in keyof typeof runOptions]: Call extends (typeof runOptions)[Name]['calls'][number] ? Name : never;
}[keyof typeof runOptions];

/** The options of a call. */
export type OptionsOf<Call extends RunCall> = ValuesOf<Pick<typeof runOptions, NamesFor<Call>>>;

/** The options of a table that a call takes. */
export function optionsFor<Table extends OptionTable>(
  table: Table,
  takes: (option: RunOption<unknown>) => boolean,
): readonly (readonly [keyof Table & string, RunOption<unknown>])[] {
  return Object.entries(table).filter(([, one]) => takes(one));
}

/** Those of some options that belong to a table, or to a part of it, and are given. */
export function givenOptions<Table extends OptionTable>(
  table: Table,
  given: Readonly<Record<string, unknown>>,
  takes: (option: RunOption<unknown>) => boolean = () => true,
): ValuesOf<Table> {
  const named = optionsFor(table, takes).map(([name]) => [name, given[name]] as const);
  // Flags and arguments are parsed as the table says, so that each value has its type.
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as ValuesOf<Table>;
}
