import { isRefusal, rowsIn } from '@data-designer/core';
import type { ProgressSnapshot, RunEvent } from '@data-designer/engine';
import {
  describeFolderDivert,
  describeRemark,
  describeTools,
  formatDuration,
  pluralize,
} from '@data-designer/printing';
import { describeProgress, describeRedis } from './describe-progress.ts';
import type { EventTexts } from './progress-sink.ts';

/** The events of a run as text. */
export const RUN_TEXTS: EventTexts<RunEvent, ProgressSnapshot> = {
  snapshotOf: (event) => (event.type === 'progress' ? event.snapshot : undefined),
  describe: describeEvent,
  describeProgress,
};

/** A run event as text for a terminal. */
export function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run-start':
      return describeStart(event);
    case 'progress':
      return describeProgress(event.snapshot);
    case 'row-group-end': {
      const [refused, lost] = [true, false].map((isOne) =>
        rowsIn(event.lost.filter(({ code }) => isRefusal(code) === isOne)),
      );
      const parts = [
        `row group ${event.group}: ${pluralize(event.rows, 'record')}`,
        ...(refused ? [`${pluralize(refused, 'candidate')} refused`] : []),
        ...(lost ? [`${pluralize(lost, 'row')} lost`] : []),
      ];
      return parts.join(', ');
    }
    case 'tool-session-start':
      return event.again
        ? `Reconnected to the tool provider '${event.provider}'.`
        : `Connected to the tool provider '${event.provider}'.`;
    case 'tool-session-fail':
      return `The session with the tool provider '${event.provider}' ended (${event.reason}); reconnecting.`;
    case 'tool-log':
      return `${event.tool}: ${event.message}`;
    case 'tool-progress':
      return `${event.tool}: ${event.done}${event.total === null ? '' : ` of ${event.total}`}`;
    case 'column-log':
      return `Column '${event.column}': ${event.message}`;
    case 'function-wait':
      return event.isBlocking
        ? `The function ${event.function} has blocked the program's thread for ${event.seconds} s.`
        : `The function ${event.function} is still running after ${event.seconds} s.`;
    case 'tool-drop':
      return `Models are not offered ${describeTools(event.tools)} of '${event.provider}': ${event.reason}.`;
    case 'folder-divert':
      return describeFolderDivert(event);
    case 'worker-fail':
      return `The worker thread of row group ${event.group} ended (${event.reason}); the row group is made again from its journal.`;
    case 'model-pause': {
      const end = new Date(Date.now() + event.waitMs);
      const isToday = end.toDateString() === new Date().toDateString();
      const until = isToday ? end.toLocaleTimeString() : end.toLocaleString();
      const wait = `${Math.ceil(event.waitMs / 1000)} s, until ${until}`;
      return `The endpoint of model '${event.model}' is rate limited (429: ${event.reason}); requests to it pause for ${wait}.`;
    }
    case 'answer-cut':
      return `Warning: column '${event.column}': an answer was cut off at its token limit (finish_reason length) and is used as it is. Raise 'max_tokens' of its model.`;
    case 'coordinator-change':
      return `This machine did not respond for too long, so another machine coordinates the run on ${event.path} now. This machine continues to make rows.`;
    case 'redis-lost':
      return describeRedis(event);
    case 'redis-return':
      return `Redis at ${event.address} answers again, after ${formatDuration(event.seconds)}.`;
    case 'redis-fail':
      return `Warning: Redis at ${event.address} refused a command: ${event.reason}. The machine tries again.`;
    case 'drain-start':
      return `Waiting up to ${event.graceMs / 1000} s for open requests${event.reason.code === 'run/aborted' ? '; press Ctrl-C again to stop now' : ''}.`;
    case 'run-end':
      return `${pluralize(event.rows, 'record')} in ${(event.elapsedMs / 1000).toFixed(1)} s`;
    case 'log-fail':
      return `Warning: ${describeRemark(event)}`;
    default:
      return describeRemark(event);
  }
}

function describeStart(event: RunEvent & { readonly type: 'run-start' }): string {
  const { rows, rowsDone, groups, seedRows, seed, path, models } = event;
  const done = rowsDone > 0 ? `, ${rowsDone} of them already made` : '';
  const start = `${pluralize(rows, 'record')}${done}; ${pluralize(groups, 'row group')} to make, seed ${seed}, into ${path}`;
  const asked = models.map(({ alias, model, limit }) => `${alias} (${model}, at most ${limit} parallel requests)`);
  const again =
    seedRows === undefined
      ? []
      : [
          `The seed has ${pluralize(seedRows, 'row')}: records from ${seedRows + 1} on use them again. Without that: -n ${seedRows}.`,
        ];
  const lines = [start, ...again, ...(asked.length === 0 ? [] : [`Models: ${asked.join('; ')}`])];
  return lines.join('\n');
}
