import type { Cell, CutText } from '../../../api/cells.ts';

/** Whether a value is the text of a model, or has the data of its JSON or the code of its fence and nothing is missing. */
export function compareAnswer(value: Cell, raw: CutText): 'same text' | 'same data' | 'different' {
  const text = raw.text.trim();
  if (typeof value === 'object' && value?.as === 'text') {
    return value.length === raw.length && value.text.trim() === text ? 'same text' : 'different';
  }
  if (raw.text.length < raw.length) return 'different';
  const written = FENCE.exec(text)?.[1]?.trim() ?? text;
  if (typeof value === 'string') {
    return value.trim() === text ? 'same text' : value.trim() === written ? 'same data' : 'different';
  }
  try {
    return isSame(value, JSON.parse(written)) ? 'same data' : 'different';
  } catch {
    return 'different';
  }
}

const FENCE = /^```\w*\n([^]*?)\n?```$/;

/** Whether a cell that is not cut has the same data as JSON; members that are null may be left out. */
function isSame(cell: Cell, json: unknown): boolean {
  if (typeof cell !== 'object' || cell === null) return cell === (json ?? null);
  if (cell.as === 'list') {
    const isWhole = Array.isArray(json) && json.length === cell.items.length && cell.items.length === cell.length;
    return isWhole && cell.items.every((item, at) => isSame(item, json[at]));
  }
  if (cell.as !== 'struct' || typeof json !== 'object' || json === null || Array.isArray(json)) return false;
  const members = new Map(cell.members);
  return (
    cell.members.length === cell.length &&
    Object.keys(json).every((name) => members.has(name)) &&
    cell.members.every(([name, member]) => isSame(member, Reflect.get(json, name)))
  );
}
