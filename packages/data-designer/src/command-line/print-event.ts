import type { RunEvent } from '@data-designer/engine';

/** Tells on standard error what a run does. */
export function printEvent(event: RunEvent): void {
  process.stderr.write(`${sayEvent(event)}\n`);
}

function sayEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run-start': {
      const done = event.rowsDone > 0 ? `, ${event.rowsDone} of them made before` : '';
      return `${event.rows} records${done}; ${event.groups} row groups to make, seed ${event.seed}, into ${event.path}`;
    }
    case 'row-group-end': {
      const [first] = event.rows === 0 ? event.lost : [];
      return `row group ${event.group}: ${event.rows} records${first ? `. ${first.message}` : ''}`;
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
    case 'tool-schema-fail':
      return `The schema of the tool '${event.tool}' of '${event.provider}' cannot be used: its arguments are passed on unchecked.`;
    case 'tools-change':
      return `The tools of '${event.provider}' are not what they were; models are told of those the dataset was begun with.`;
    case 'worker-fail':
      return `The worker of row group ${event.group} was lost (${event.reason}); the group is made again from its journal.`;
    case 'model-pause': {
      const until = new Date(Date.now() + event.waitMs).toLocaleTimeString();
      const wait = `${Math.ceil(event.waitMs / 1000)} s, until ${until}`;
      return `The endpoint of model '${event.model}' refuses (429: ${event.reason}); nothing is sent to it for ${wait}.`;
    }
    case 'drain-start':
      return `Waiting up to ${event.graceMs / 1000} s for the answers under way; once more ends at once.`;
    case 'run-end':
      return `${event.rows} records in ${(event.elapsedMs / 1000).toFixed(1)} s`;
  }
}
