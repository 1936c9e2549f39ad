import { TOOL_FAILURES, type ToolFailureKind } from '@data-designer/core';

/** Failed calls of a tool for one reason. */
export interface FailedCalls {
  readonly kind: ToolFailureKind;
  /** The reason without ids and addresses, and without numbers that differ between the calls. */
  readonly reason: string;
  readonly calls: number;
}

/** Failed calls by kind and reason, in one text: plain data that adds up. */
export type FailureCounts = Record<string, number>;

/** A tool has at most this many reasons; further ones count together. */
const MOST_REASONS = 10;
const OTHERS = 'other reasons';
const MAX_LENGTH = 160;

/** Counts failed calls for a reason. */
export function countFailures(counts: FailureCounts, { kind, reason, calls }: FailedCalls): void {
  const key = `${kind} ${normalReason(reason)}`;
  const form = withoutNumbers(key);
  // A number stays as long as all calls have the same.
  const alike = Object.keys(counts).find((one) => withoutNumbers(one) === form);
  const others = `${kind} ${OTHERS}`;
  const isFull =
    Object.keys(counts).filter((one) => one.startsWith(`${kind} `) && one !== others).length >= MOST_REASONS;
  const own = alike === undefined ? (isFull ? others : key) : alike === key ? key : form;
  const before = alike ?? own;
  const sum = (Object.hasOwn(counts, before) ? (counts[before] ?? 0) : 0) + calls;
  if (before !== own) Reflect.deleteProperty(counts, before);
  counts[own] = sum;
}

/** Adds counts to `total`. */
export function addFailures(total: FailureCounts, more: Readonly<FailureCounts>): void {
  for (const one of failuresIn(more)) countFailures(total, one);
}

/** The counts as a list, the most frequent first. */
export function failuresIn(counts: Readonly<FailureCounts>): readonly FailedCalls[] {
  const read = Object.entries(counts).flatMap(([key, calls]): FailedCalls[] => {
    const at = key.indexOf(' ');
    const kind = key.slice(0, at);
    return isFailureKind(kind) ? [{ kind, reason: key.slice(at + 1), calls }] : [];
  });
  return read.toSorted((one, other) => other.calls - one.calls);
}

/** Whether a text names a kind. */
export function isFailureKind(text: string): text is ToolFailureKind {
  return Object.hasOwn(TOOL_FAILURES, text);
}

/** Parts of a reason that differ between calls. */
const VARIABLE: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // The query of an address may hold a key, and its path an id.
  [/\b([a-z][a-z+.-]*:\/\/)(?:[^\s/'"@]*@)?([^\s/'"?#]+)[^\s'")]*/gi, '$1$2/…'],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, '…'],
  // Values that a call or a result quotes.
  [/"[^"]*"/g, '"…"'],
  // Identifiers and keys: long words with a digit.
  [/(?<![\p{L}\p{N}])(?=[\w-]*\d)[\w-]{12,}(?![\p{L}\p{N}])/gu, '…'],
  [/\b[0-9a-f]{8,}\b/gi, '…'],
];

/** All numbers but HTTP status codes and the codes of JSON-RPC. */
const NUMBER = /(?<![\p{L}\p{N}_.-])(?!(?:[1-5]\d\d|-32\d{3})(?![\d.]))[+-]?\d+(?:[.,:]\d+)*/gu;

/** The common form of reasons that differ in numbers alone. */
function withoutNumbers(key: string): string {
  return key.replaceAll(NUMBER, '…');
}

/** One line without the parts that differ between calls. Applied again, it changes nothing. */
function normalReason(reason: string): string {
  const line = reason.trim().split('\n', 1)[0]?.trim() ?? '';
  // Longer lines cost time, and their rest is not shown.
  const start = line.slice(0, MAX_LENGTH * 4);
  const plain = VARIABLE.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), start);
  const text = plain.replaceAll(/\s+/g, ' ').toWellFormed();
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1).toWellFormed()}…`;
}
