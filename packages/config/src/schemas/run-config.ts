import { z } from 'zod';
import { LONGEST_SECONDS, TOOL_DEFAULTS } from '@data-designer/core';
import { readsAs } from '../read-form.ts';
import { given, isGiven, isMapping } from '../spelling.ts';

/** How the number of requests at a time finds the limit of an endpoint. */
const requestAdmission = z.strictObject({
  multiplicativeDecreaseFactor: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.75)
    .describe('Factor by which the limit falls when the endpoint refuses a request with status 429.'),
  additiveIncreaseStep: z.int().min(1).default(1).describe('Number of parallel requests that the limit rises by.'),
  successesUntilIncrease: z
    .int()
    .min(1)
    .default(25)
    .describe('Number of answers at the current limit after which a higher limit is tried.'),
  cooldownSeconds: z
    .number()
    .positive()
    .default(2)
    .describe('Seconds to wait after a refusal before a higher limit is tried.'),
  startupRampSeconds: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'Seconds in which the limit grows from 1 at the start of a run; 0 for the default start with 32 parallel requests.',
    ),
});

/** The names of settings that earlier versions of NeMo Data Designer had, and those of today. */
const THROTTLE = {
  reduceFactor: 'multiplicativeDecreaseFactor',
  additiveIncrease: 'additiveIncreaseStep',
  successWindow: 'successesUntilIncrease',
  cooldownSeconds: 'cooldownSeconds',
  rampupSeconds: 'startupRampSeconds',
} as const;

const settings = z.strictObject({
  seed: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe(
      'Seed of all random draws: the same seed draws the same values. Null to choose one, which the dataset records.',
    ),
  bufferSize: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'Number of rows in a row group, which is written as one file; null for 1,000, or 10,000 if no column sends requests. The default is lower on a cluster, so that no machine is idle, and if seed rows are long.',
    ),
  maxConcurrentRowGroups: z
    .int()
    .min(1)
    .default(3)
    .describe('Minimum number of row groups in progress at the same time.'),
  maxInFlightTasks: z.int().min(1).default(1024).describe('Has no effect.'),
  nonInferenceMaxParallelWorkers: z.int().min(1).default(4).describe('Has no effect, as in the Python tool.'),
  maxConversationRestarts: z
    .int()
    .min(0)
    .default(5)
    .describe('Maximum number of times that a conversation without a valid answer starts again.'),
  maxConversationCorrectionSteps: z
    .int()
    .min(0)
    .default(0)
    .describe('Maximum number of times that the model may correct an invalid answer in one conversation.'),
  disableEarlyShutdown: z.boolean().default(false).describe('Whether to continue the run even if many cells fail.'),
  shutdownErrorRate: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('Share of failed cells in one column that ends the run; 1 to never end it.'),
  shutdownErrorWindow: z
    .int()
    .min(1)
    .default(10)
    .describe('Minimum number of recent cells of a column over which the share is measured.'),
  maxCost: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe(
      'Budget of the dataset, in the currency of the prices. When the answers have cost this much, the run sends no more requests and can be resumed with a larger budget.',
    ),
  maxDurationSeconds: z
    .number()
    .positive()
    .max(LONGEST_SECONDS)
    .nullable()
    .default(null)
    .describe('Time limit of the run, in seconds. After it the run sends no more requests and can be resumed.'),
  maxToolServers: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      `Number of MCP servers of type stdio that run at the same time; if another one must start, the server that has been idle for the longest time ends. Null for ${TOOL_DEFAULTS.servers}, or the largest \`max_sessions\` of a provider.`,
    ),
  jinjaRenderingEngine: z
    .enum(['secure', 'native'])
    .default('secure')
    .describe('The template engine: `secure` allows a safe subset of Jinja2, `native` all supported features.'),
  requestAdmission: requestAdmission
    .nullable()
    .default(null)
    .describe('How to find the number of parallel requests that an endpoint accepts; null for the defaults.'),
  preserveDroppedColumns: z
    .boolean()
    .default(true)
    .describe('Whether to store dropped columns in separate files of the dataset folder.'),
  compact: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'Whether to merge the files of the dataset into files of about 256 MB at the end of the run; null for datasets of ' +
        'more than 1,000 files. The Python tool does not resume a dataset with merged files.',
    ),
  pythonLayout: z
    .boolean()
    .default(false)
    .describe(
      'Whether a new dataset has the column types of the Python tool, so that it can continue datasets with traces or ' +
        'free-form data.',
    ),
  asyncTrace: z
    .boolean()
    .default(false)
    .describe('Whether the results of `create` and `preview` have a trace of each task, in `taskTraces`.'),
  writeSchedulerEvents: z
    .boolean()
    .default(false)
    .describe('Whether to write the steps of each cell to `scheduler_events.jsonl` in the dataset folder.'),
  displayTui: z
    .boolean()
    .nullable()
    .default(null)
    .describe('Whether to show progress as a panel if standard error is a terminal; null for yes.'),
  progressInterval: z
    .number()
    .positive()
    .default(5)
    .describe('Seconds between two progress lines, if no panel is shown.'),
  otelMetricsPort: z.int().min(1).max(65_535).nullable().default(9464).describe('Has no effect.'),
  debugOverrideSaveAllColumnTraces: z
    .boolean()
    .default(false)
    .describe('Whether to store the whole conversation of every LLM column, as `with_trace: all_messages` does.'),
});

/** The settings of a run, which do not change the dataset; names of earlier versions of NeMo Data Designer load too. */
export const runConfig = readsAs(settings, (value) => {
  const { progress_bar, progressBar = progress_bar, throttle, ...rest } = value;
  const tui = progressBar === undefined || isGiven(rest, 'displayTui') ? {} : { displayTui: progressBar };
  // Both at once are an error: `throttle` then stays in place as an unknown key.
  if (!isMapping(throttle) || isGiven(rest, 'requestAdmission')) return { ...rest, ...tui, ...onlyGiven({ throttle }) };
  const renamed = Object.entries(THROTTLE).map(([old, now]) => [now, given(throttle, old)] as const);
  return { ...rest, ...tui, requestAdmission: onlyGiven(Object.fromEntries(renamed)) };
});

function onlyGiven(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

export type RunConfig = z.output<typeof settings>;
/** The settings of runs as a program gives them; defaults fill in what is absent. */
export type RunSettings = z.input<typeof settings>;

/** Settings that are read, and have no effect in this version. */
export const SETTINGS_WITHOUT_EFFECT = [
  'maxInFlightTasks',
  'nonInferenceMaxParallelWorkers',
  'otelMetricsPort',
] as const satisfies readonly (keyof RunConfig)[];
