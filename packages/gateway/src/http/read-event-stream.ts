import { type Fields, isFields, parseVerbatim, tryParse } from '@data-designer/core';

/** The data of a stream of server-sent events. */
export interface EventStream {
  /** The JSON objects of its events, in order, with numbers as they were written. An event named `error` is `{ error }`. */
  readonly events: readonly Fields[];
  /** Whether the event `[DONE]` ends it. */
  readonly isEnded: boolean;
}

/** A field of an event, or a comment, with which servers keep the connection open. */
const FIRST_LINE = /^\s*(?:data|event|id|retry)?:/;
const LINE_END = /\r\n|\r|\n/;
const DONE = '[DONE]';
const ERROR = 'error';

/** Whether text begins as a stream of events does. */
export function isEventStream(text: string): boolean {
  return FIRST_LINE.test(text);
}

/** Reads a stream of events; undefined where the data of one is not a JSON object. */
export function readEventStream(text: string): EventStream | undefined {
  const events: Fields[] = [];
  let data: string[] = [];
  let name = '';
  for (const line of [...text.split(LINE_END), '']) {
    if (line !== '') {
      const [, field, value = ''] = /^(data|event):? ?(.*)$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      if (field === 'event') name = value.trim();
      continue;
    }
    const said = data.join('\n').trim();
    const isError = name === ERROR;
    data = [];
    name = '';
    if (said === '') continue;
    if (said === DONE) return { events, isEnded: true };
    for (const one of isError ? [errorIn(said)] : objectsIn(said)) {
      if (one === undefined) return undefined;
      events.push(one);
    }
  }
  return { events, isEnded: false };
}

/** The data of an event named `error`, which may be plain text, under the key of errors. */
function errorIn(data: string): Fields {
  const whole: unknown = tryParse(data, parseVerbatim);
  if (!isFields(whole)) return { error: { message: data } };
  return whole.error ? whole : { error: whole };
}

/** The object of one event. Some servers leave out the empty lines between events, so each line may be one. */
function objectsIn(data: string): readonly (Fields | undefined)[] {
  const whole: unknown = tryParse(data, parseVerbatim);
  if (isFields(whole)) return [whole];
  return data
    .split('\n')
    .filter((line) => line.trim() !== '' && line.trim() !== DONE)
    .map((line) => {
      const value: unknown = tryParse(line, parseVerbatim);
      return isFields(value) ? value : undefined;
    });
}
