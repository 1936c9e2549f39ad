import { parseJson, stringifyJson, tryParse, isFields } from '@data-designer/core';
import { type AnsweredCall, pairResults } from '../pair-results.ts';
import type { TrajectoryCheck } from '../trajectory.ts';

/** Calls that are repeated although they returned the same. */
export const repeatedCall = {
  kind: 'repeated_call',
  description: 'A call with equal arguments and an equal result more than `max_equal_calls` times.',
  flaw: 'repeats',
  find({ messages, first, rules: { maxEqualCalls } }, report) {
    if (!messages.slice(first).some(({ calls }) => calls.length > 0)) return;
    const counts = new Map<string, number>();
    for (const call of callsOfBusyTools(pairResults(messages).calls, maxEqualCalls)) {
      const result = call.result === undefined ? undefined : messages[call.result]?.text;
      if (result === undefined) continue;
      const { name } = call.call;
      const key = JSON.stringify([name, sortedArguments(call), result]);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count > maxEqualCalls && call.message >= first) {
        report(
          call.message,
          `it calls '${name}' with the same arguments and the same result for the ${ordinal(count)} time`,
        );
      }
    }
  },
} as const satisfies TrajectoryCheck;

/** The calls of tools that are called more than so many times: no other call needs to be compared. */
function callsOfBusyTools(calls: readonly AnsweredCall[], most: number): readonly AnsweredCall[] {
  if (calls.length <= most) return [];
  const counts = new Map<string, number>();
  for (const { call } of calls) counts.set(call.name, (counts.get(call.name) ?? 0) + 1);
  return calls.filter(({ call }) => (counts.get(call.name) ?? 0) > most);
}

/** The arguments as text, whatever the order of their members. */
function sortedArguments({ call: { arguments: text } }: AnsweredCall): string {
  const value = tryParse(text, parseJson);
  if (value === undefined || !isFields(value)) return text.trim();
  return stringifyJson(Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function ordinal(count: number): string {
  const ending = count % 100 >= 11 && count % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
}
