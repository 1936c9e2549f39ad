import { z } from 'zod';
import { type Finding, type Surroundings, valueType } from '@data-designer/core';
import { defineSampler, samplerFields } from '../../define-sampler.ts';
import { runFinding } from '../../run-finding.ts';
import { sampledColumn } from '../sampled-column.ts';
import { SECONDS_IN } from '../datetime/civil-time.ts';
import { LAST_SECOND, latestTime } from './latest-time.ts';

const TIMES: readonly string[] = ['datetime', 'timedelta'];

/** Draws times by adding a random delay to the times of another column. */
export const timedelta = defineSampler({
  type: 'timedelta',
  schema: z
    .strictObject({
      ...samplerFields('timedelta'),
      dtMin: z.int().min(0).describe('The shortest duration, in units.'),
      dtMax: z.int().positive().describe('The upper bound of the duration, in units, which is never drawn.'),
      referenceColumnName: z.string().describe('The column with the times to which the duration is added.'),
      unit: z
        .enum(['D', 'h', 'm', 's'])
        .default('D')
        .describe('The unit of the durations: days, hours, minutes or seconds.'),
    })
    .describe('Adds a random duration, from `dt_min` up to but not including `dt_max`, to the time in another column.')
    .refine(({ dtMin, dtMax }) => dtMin < dtMax, { path: ['dtMax'], error: 'dt_max must be above dt_min' }),
  value: valueType<string>(),
  example: { dtMin: 1, dtMax: 40, referenceColumnName: 'day' },
  arrow: () => 'utf8',
  converts: 'time',
  choices: ({ dtMin, dtMax, referenceColumnName }, choicesOf) => {
    const times = choicesOf(referenceColumnName);
    return times === undefined ? undefined : times * (dtMax - dtMin);
  },
  reads: ({ referenceColumnName }) => [{ name: referenceColumnName, field: ['referenceColumnName'] }],
  check: (params, dataset) => [...checkReference(params.referenceColumnName, dataset), ...checkReach(params, dataset)],
  draw: ({ dtMin, dtMax, unit }) => {
    const span = dtMax - dtMin;
    const seconds = SECONDS_IN[unit];
    return (random, read) => Number(read[0] ?? 0) + (dtMin + random.below(span)) * seconds;
  },
});

/** The check of references reports a column that is missing or no sampler. */
function checkReference(name: string, { columns }: Surroundings): readonly Finding[] {
  const column = columns.get(name);
  const sampled = column && sampledColumn(column);
  if (!sampled || TIMES.includes(sampled.samplerType)) return [];
  const message = `the column '${name}' contains no times, because its sampler is '${sampled.samplerType}'.`;
  const remedy = 'Use a column with the datetime or timedelta sampler.';
  return [runFinding(['referenceColumnName'], { type: 'invalid_reference', message, remedy })];
}

/** Printed years have four digits. */
function checkReach(params: Parameters<typeof latestTime>[0], dataset: Surroundings): readonly Finding[] {
  if (latestTime(params, dataset) <= LAST_SECOND) return [];
  const message = `adding up to ${params.dtMax} ${params.unit} to '${params.referenceColumnName}' can lead to times after the year 9999.`;
  return [runFinding(['dtMax'], { message, remedy: 'Use a smaller dt_max.' })];
}
