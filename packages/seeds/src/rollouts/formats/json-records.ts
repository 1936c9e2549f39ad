import { isMapping, type Mapping } from '@data-designer/config';
import { parseJson } from '@data-designer/core';
import { RolloutFault } from '../rollout.ts';

/** Parses a JSON object; throws a `RolloutFault` for other text. */
export function jsonRecord(text: string): Mapping {
  return recordOf(text, 'it');
}

/** Parses one JSON object per line, skipping empty lines; throws a `RolloutFault` with the line's number. */
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

function recordOf(text: string, where: string): Mapping {
  const value = valueOf(text, where);
  if (isMapping(value)) return value;
  throw new RolloutFault(`${where} is not a JSON object`);
}

function valueOf(text: string, where: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new RolloutFault(`${where} is not valid JSON`);
  }
}
