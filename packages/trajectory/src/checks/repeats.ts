import { withoutCode } from '@data-designer/core';
import { loopAtEnd } from '../loop-at-end.ts';
import type { TrajectoryMessage } from '../read-messages.ts';
import type { Report, Trajectory, TrajectoryCheck } from '../trajectory.ts';

/** Turns that repeat themselves, or the turns before them. */
export const repeats = {
  kind: 'repeats',
  description: 'A turn that repeats the turns before it, or a text that ends in a loop or repeats a line.',
  flaw: 'repeats',
  find({ messages, first }, report) {
    const found = new Set<number>();
    const reportOnce: Report = (index, reason) => {
      if (!found.has(index)) report(index, reason);
      found.add(index);
    };
    messages.slice(first).forEach(({ role, text }, index) => {
      const reason = role === 'assistant' ? repetitionIn(text) : undefined;
      if (reason !== undefined) reportOnce(first + index, reason);
    });
    repeatedTurns({ messages, first }, reportOnce);
  },
} as const satisfies TrajectoryCheck;

function repetitionIn(text: string): string | undefined {
  const loop = loopAtEnd(text);
  if (loop) return `its text ends with ${loop.times} times ${quoted(loop.text)}`;
  const line = repeatedLine(text);
  return line && `its text has ${line.times} times the line ${quoted(line.text)}`;
}

/** The shortest line that counts, and the number of its occurrences that makes a repetition: poems have refrains. */
const [SHORTEST_LINE, MOST_LINES] = [40, 5];

/** A line of words, in contrast to one of HTML, a table or a link. */
const SENTENCE = /^[^<|[({]\P{L}*\p{L}+(?:\P{L}+\p{L}+){4}/u;

function repeatedLine(text: string): { readonly text: string; readonly times: number } | undefined {
  if (text.length < SHORTEST_LINE * MOST_LINES) return undefined;
  const lines = text.split('\n').filter((line) => line.length >= SHORTEST_LINE);
  if (lines.length <= MOST_LINES || new Set(lines).size + MOST_LINES > lines.length) return undefined;
  const counts = new Map<string, number>();
  for (const raw of withoutCode(text).split('\n')) {
    const line = raw.trim();
    if (line.length < SHORTEST_LINE || !SENTENCE.test(line)) continue;
    const times = (counts.get(line) ?? 0) + 1;
    counts.set(line, times);
    if (times > MOST_LINES) return { text: line, times };
  }
  return undefined;
}

/** A shorter turn may be repeated once: `You are welcome.`; after tool calls, a confirmation such as `The light is on.` */
const [SHORTEST_TURN, SHORTEST_AFTER_TOOLS] = [24, 80];
/** The most turns of one role that are repeated together. */
const LONGEST_CYCLE = 4;
/** Equal short turns of both roles in a row that are a loop. */
const MOST_EQUAL_PAIRS = 2;

interface Turn {
  readonly index: number;
  readonly text: string;
  /** Whether tools were called between it and the turn of its role before. */
  readonly isAfterTools: boolean;
}

function repeatedTurns({ messages, first }: Pick<Trajectory, 'messages' | 'first'>, report: Report): void {
  for (const role of ['assistant', 'user'] as const) {
    if (!messages.some((message, index) => index >= first && message.role === role)) continue;
    const turns = turnsOf(messages, role);
    turns.forEach(({ index }, at) => {
      const cycle = index < first ? undefined : cycleAt(turns, at);
      if (cycle !== undefined) report(index, reasonOf(role, cycle));
    });
  }
  repeatedPairs({ messages, first }, report);
}

function reasonOf(role: string, cycle: number): string {
  return cycle === 1
    ? `it repeats the turn of the ${role} before it`
    : `it repeats the last ${cycle} turns of the ${role}`;
}

function turnsOf(messages: readonly TrajectoryMessage[], role: string): readonly Turn[] {
  const turns: Turn[] = [];
  let isAfterTools = false;
  messages.forEach((message, index) => {
    if (message.calls.length > 0 && role === 'assistant') isAfterTools = true;
    if (message.role !== role || message.calls.length > 0) return;
    turns.push({ index, text: message.text.trim(), isAfterTools });
    isAfterTools = false;
  });
  return turns;
}

/** The number of turns, up to this one, that are equal to as many before them. */
function cycleAt(turns: readonly Turn[], at: number): number | undefined {
  for (let length = 1; length <= LONGEST_CYCLE && 2 * length <= at + 1; length++) {
    if (!isSame(turns[at], turns[at - length])) continue;
    const ends = Array.from({ length }, (_, back) => at - back);
    const isEqual = ends.every((end) => isSame(turns[end], turns[end - length]));
    if (isEqual && ends.every((end) => isLong(turns[end]))) return length;
  }
  return undefined;
}

function isLong({ text, isAfterTools }: Partial<Turn> = {}): boolean {
  return (text?.length ?? 0) >= (isAfterTools === true ? SHORTEST_AFTER_TOOLS : SHORTEST_TURN);
}

/** Short turns count if both roles go on repeating theirs. */
function repeatedPairs({ messages, first }: Pick<Trajectory, 'messages' | 'first'>, report: Report): void {
  const said = messages.flatMap(({ role, calls, text }, index) =>
    (role === 'user' || role === 'assistant') && calls.length === 0 ? [{ text: text.trim(), index }] : [],
  );
  said.forEach(({ index }, at) => {
    if (index < first) return;
    const start = Math.max(0, at + 1 - 2 * MOST_EQUAL_PAIRS);
    const areEqual = said
      .slice(start, at + 1)
      .every((turn, place) => turn.text !== '' && isSame(turn, said[start + place - 2]));
    if (areEqual) report(index, 'user and assistant repeat their last turns');
  });
}

/** Longer texts that differ by more characters are not equal after a normalisation either. */
const MOST_DIFFERENT = 8;

function isSame(one: Pick<Turn, 'text'> | undefined, other: Pick<Turn, 'text'> | undefined): boolean {
  if (!one || !other) return false;
  if (one.text === other.text) return true;
  if (Math.abs(one.text.length - other.text.length) > MOST_DIFFERENT || differsEarly(one.text, other.text))
    return false;
  const [first, second] = [lettersOf(one.text), lettersOf(other.text)];
  return first !== '' && first === second;
}

/** Whether the letters of texts differ before their first character outside ASCII, which costs less than a normalisation. */
function differsEarly(one: string, other: string): boolean {
  let [at, otherAt] = [afterSpaces(one, 0), afterSpaces(other, 0)];
  while (at < one.length && otherAt < other.length) {
    const [letter, otherLetter] = [letterAt(one, at), letterAt(other, otherAt)];
    if (letter === undefined || otherLetter === undefined) return false;
    if (letter !== otherLetter) return true;
    at = letter === SPACE ? afterSpaces(one, at) : at + 1;
    otherAt = letter === SPACE ? afterSpaces(other, otherAt) : otherAt + 1;
  }
  return false;
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (letterAt(text, at) === SPACE) at++;
  return at;
}

const SPACE = 32;

/** The code of an ASCII letter or digit in lower case, or of a space for another ASCII character; undefined for others. */
function letterAt(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at);
  if (!(code < 128)) return undefined;
  if (code >= 65 && code <= 90) return code + 32;
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) ? code : SPACE;
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The most characters of a text in a finding. */
const LONGEST_QUOTE = 60;

function quoted(text: string): string {
  return `'${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}'`;
}
