import { z } from 'zod';
import { LONGEST_SECONDS } from '@data-designer/core';
import { readsAs } from '../read-form.ts';
import { given, isGiven, isMapping } from '../spelling.ts';

/** How the number of requests at a time finds the limit of an endpoint. */
const requestAdmission = z.strictObject({
  multiplicativeDecreaseFactor: z.number().gt(0).lt(1).default(0.75).describe('What the limit falls to when refused.'),
  additiveIncreaseStep: z.int().min(1).default(1).describe('What the limit rises by.'),
  successesUntilIncrease: z.int().min(1).default(25).describe('Answers in a row before it rises.'),
  cooldownSeconds: z.number().positive().default(2).describe('Pause after a refusal.'),
  startupRampSeconds: z.number().min(0).default(0).describe('Time in which the limit grows at the start.'),
});

/** What the settings of older versions are called now. */
const THROTTLE = {
  reduceFactor: 'multiplicativeDecreaseFactor',
  additiveIncrease: 'additiveIncreaseStep',
  successWindow: 'successesUntilIncrease',
  cooldownSeconds: 'cooldownSeconds',
  rampupSeconds: 'startupRampSeconds',
} as const;

const settings = z.strictObject({
  seed: z.int().min(0).nullable().default(null).describe('Seed of all randomness; chosen and recorded when null.'),
  bufferSize: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('Rows per row group; null means 1,000, or 50,000 for local plans.'),
  maxConcurrentRowGroups: z.int().min(1).default(3).describe('Row groups open at a time, at least.'),
  maxInFlightTasks: z.int().min(1).default(1024).describe('Cells under way at a time.'),
  nonInferenceMaxParallelWorkers: z.int().min(1).default(4).describe('Has no effect, here as in the Python tool.'),
  maxConversationRestarts: z
    .int()
    .min(0)
    .default(5)
    .describe('Fresh starts of a conversation that gives no valid answer.'),
  maxConversationCorrectionSteps: z.int().min(0).default(0).describe('Corrections within one conversation.'),
  disableEarlyShutdown: z.boolean().default(false).describe('Go on however many cells fail.'),
  shutdownErrorRate: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('Share of failures in one column that ends a run; 1 for none.'),
  shutdownErrorWindow: z
    .int()
    .min(1)
    .default(10)
    .describe('Cells of a column that it is taken of, or a tenth of those there are.'),
  maxCost: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('Once answers have cost this much, nothing further is asked; the run can be resumed with more.'),
  maxDurationSeconds: z
    .number()
    .positive()
    .max(LONGEST_SECONDS)
    .nullable()
    .default(null)
    .describe('After this time nothing further is asked; the run can be resumed.'),
  jinjaRenderingEngine: z
    .enum(['secure', 'native'])
    .default('secure')
    .describe('How templates are rendered: behind walls, or with all of Jinja2 that is supported.'),
  requestAdmission: requestAdmission.nullable().default(null).describe('How the limit of an endpoint is found.'),
  preserveDroppedColumns: z.boolean().default(true).describe('Keep dropped columns in files of their own.'),
  compact: z.boolean().default(true).describe('Merge small files of a dataset at the end, into files of about 256 MB.'),
  asyncTrace: z.boolean().default(false).describe('Record when each cell began and ended.'),
  writeSchedulerEvents: z.boolean().default(false).describe('Record the decisions of the scheduler.'),
  displayTui: z
    .boolean()
    .nullable()
    .default(null)
    .describe('Show progress as a panel where standard error is a terminal; null means yes.'),
  progressInterval: z.number().positive().default(5).describe('Seconds between lines of progress.'),
  otelMetricsPort: z.int().min(1).max(65_535).nullable().default(9464).describe('No port is opened.'),
  debugOverrideSaveAllColumnTraces: z.boolean().default(false).describe('Keep the whole trace of every model column.'),
});

/** The settings of a run, which do not change the dataset; names of older versions load too. */
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

/** Settings that are read, and have no effect in this version. */
export const SETTINGS_WITHOUT_EFFECT = [
  'maxInFlightTasks',
  'nonInferenceMaxParallelWorkers',
  'asyncTrace',
  'writeSchedulerEvents',
  'otelMetricsPort',
] as const satisfies readonly (keyof RunConfig)[];
