import { type Fields, isFields, tryParse } from '@data-designer/core';

/** The data of a stream of server-sent events. */
export interface EventStream {
  /** The JSON objects of its events, in order. */
  readonly events: readonly Fields[];
  /** Whether the event `[DONE]` ends it. */
  readonly isEnded: boolean;
}

/** A field of an event, or a comment, with which servers keep the connection open. */
const FIRST_LINE = /^\s*(?:data|event|id|retry)?:/;
const LINE_END = /\r\n|\r|\n/;
const DONE = '[DONE]';

/** Whether text begins as a stream of events does. */
export function isEventStream(text: string): boolean {
  return FIRST_LINE.test(text);
}

/** Reads a stream of events; undefined where the data of one is not a JSON object. */
export function readEventStream(text: string): EventStream | undefined {
  const events: Fields[] = [];
  let data: string[] = [];
  for (const line of [...text.split(LINE_END), '']) {
    if (line !== '') {
      const value = /^data:? ?(.*)$/s.exec(line)?.[1];
      if (value !== undefined) data.push(value);
      continue;
    }
    const said = data.join('\n').trim();
    data = [];
    if (said === '') continue;
    if (said === DONE) return { events, isEnded: true };
    for (const one of objectsIn(said)) {
      if (one === undefined) return undefined;
      events.push(one);
    }
  }
  return { events, isEnded: false };
}

/** The object of one event. Some servers leave out the empty lines between events, so each line may be one. */
function objectsIn(data: string): readonly (Fields | undefined)[] {
  const whole: unknown = tryParse(data, JSON.parse);
  if (isFields(whole)) return [whole];
  return data
    .split('\n')
    .filter((line) => line.trim() !== '' && line.trim() !== DONE)
    .map((line) => {
      const value: unknown = tryParse(line, JSON.parse);
      return isFields(value) ? value : undefined;
    });
}
