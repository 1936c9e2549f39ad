import { type Fields, fieldsOf, isFields } from '@data-designer/core';

/** Events that end a response and hold it whole. */
const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The response in the events of a stream; undefined where the stream ends before the response does. */
export function joinResponseEvents(events: readonly Fields[]): Fields | undefined {
  const last = events.findLast(({ type, response }) => LAST.has(type) && isFields(response));
  if (last) return withItems(fieldsOf(last.response), events);
  const failed = events.find(({ type, error }) => type === 'error' || error);
  return failed && { error: failed.error ?? { ...failed, type: undefined } };
}

/** Some servers leave out of the last event the items that events of their own have told. */
function withItems(response: Fields, events: readonly Fields[]): Fields {
  if (Array.isArray(response.output) && response.output.length > 0) return response;
  const items = events.flatMap(({ type, item }) =>
    type === 'response.output_item.done' && isFields(item) ? [item] : [],
  );
  return items.length > 0 ? { ...response, output: items } : response;
}
