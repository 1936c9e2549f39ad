import { isMapping, type Mapping } from '@data-designer/config';
import { parseJson } from '@data-designer/core';
import { RolloutFault } from '../rollout.ts';

/** The mapping that a text of JSON is; throws a `RolloutFault` where it is none. */
export function jsonRecord(text: string): Mapping {
  return recordOf(text, 'it');
}

/** The mappings of a text with one on each line, without empty lines; throws a `RolloutFault` that tells the line. */
export function jsonLines(text: string): Mapping[] {
  const records: Mapping[] = [];
  let line = 0;
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const piece = text.slice(at, end < 0 ? text.length : end).trim();
    line++;
    if (piece !== '') records.push(recordOf(piece, `line ${line}`));
    at = end < 0 ? text.length : end + 1;
  }
  return records;
}

function recordOf(text: string, place: string): Mapping {
  const value = valueOf(text, place);
  if (isMapping(value)) return value;
  throw new RolloutFault(`${place} holds no JSON object`);
}

function valueOf(text: string, place: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new RolloutFault(`${place} is no JSON`);
  }
}
