import { printDamage, printVoid } from '@data-designer/core';
import type { RunEvent } from '@data-designer/engine';
import { sayMany } from '../../printing/format-numbers.ts';
import { sayProgress } from './describe-progress.ts';

/** What happened in a run, in words. */
export function sayEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run-start':
      return sayStart(event);
    case 'progress':
      return sayProgress(event.snapshot);
    case 'row-group-end': {
      const lost = event.lost.reduce((sum, { rows }) => sum + rows, 0);
      return `row group ${event.group}: ${event.rows} records${lost > 0 ? `, ${sayMany(lost, 'row')} lost` : ''}`;
    }
    case 'tool-session-start':
      return event.again
        ? `The tool provider '${event.provider}' is connected again.`
        : `The tool provider '${event.provider}' is connected.`;
    case 'tool-session-fail':
      return `The session with the tool provider '${event.provider}' was lost (${event.reason}); a new one is opened.`;
    case 'tool-log':
      return `${event.tool}: ${event.message}`;
    case 'tool-progress':
      return `${event.tool}: ${event.done}${event.total === null ? '' : ` of ${event.total}`}`;
    case 'column-log':
      return `Column '${event.column}': ${event.message}`;
    case 'function-wait':
      return event.isBlocking
        ? `The function ${event.function} has kept the program's thread for ${event.seconds} s: nothing else could go on there.`
        : `The function ${event.function} has not ended after ${event.seconds} s.`;
    case 'tool-schema-fail':
      return `The schema of the tool '${event.tool}' of '${event.provider}' cannot be used: its arguments are passed on unchecked.`;
    case 'tool-drop':
      return `Models are not told of the tool '${event.tool}' of '${event.provider}': ${event.reason}.`;
    case 'tools-change':
      return `The tools of '${event.provider}' are not what they were; models are told of those the dataset was begun with.`;
    case 'worker-fail':
      return `The worker of row group ${event.group} was lost (${event.reason}); the group is made again from its journal.`;
    case 'model-pause': {
      const until = new Date(Date.now() + event.waitMs).toLocaleTimeString();
      const wait = `${Math.ceil(event.waitMs / 1000)} s, until ${until}`;
      return `The endpoint of model '${event.model}' refuses (429: ${event.reason}); nothing is sent to it for ${wait}.`;
    }
    case 'folder-divert':
      return sayDivert(event);
    case 'folder-reuse':
      return `An earlier run made no row in ${event.path}: the folder is used again, and its failures are in failures.previous.jsonl.`;
    case 'answer-cut':
      return `Warning: column '${event.column}': an answer was cut off at its token limit (finish_reason length) and taken as it is. Raise 'max_tokens' of its model.`;
    case 'resume-fail':
      return `The dataset in ${event.path} cannot be continued: ${event.reason}. A new one is begun.`;
    case 'journal-void':
      return `${event.answers} answers that are kept no longer fit what is asked, and are bought again (${printVoid(event)}).`;
    case 'rows-damaged':
      return `Damaged files: ${printDamage(event)}. The rows are made again.`;
    case 'metadata-derive':
      return `${event.path} cannot be read (${event.reason}); it is written anew from the other files of the dataset.`;
    case 'merge-fail':
      return `The files could not be merged and stay as they are, with all rows: ${event.reason}`;
    case 'drain-start':
      return `Waiting up to ${event.graceMs / 1000} s for the answers under way${event.reason.code === 'run/aborted' ? '; once more ends at once' : ''}.`;
    case 'run-end':
      return `${event.rows} records in ${(event.elapsedMs / 1000).toFixed(1)} s`;
  }
}

/** Where a dataset goes that could not have the folder that was asked for. */
export function sayDivert({ path, wanted }: { readonly path: string; readonly wanted: string }): string {
  return `${wanted} holds another dataset: this one is in ${path}. Go on with the other one with --resume always.`;
}

function sayStart({ rows, rowsDone, groups, seed, path, models }: RunEvent & { readonly type: 'run-start' }): string {
  const done = rowsDone > 0 ? `, ${rowsDone} of them made before` : '';
  const start = `${rows} records${done}; ${sayMany(groups, 'row group')} to make, seed ${seed}, into ${path}`;
  const asked = models.map(({ alias, model, limit }) => `${alias} (${model}, ${limit} requests at a time at most)`);
  return asked.length === 0 ? start : `${start}\nModels: ${asked.join('; ')}`;
}
