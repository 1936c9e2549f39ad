import { isFields, isNestedTooDeeply, parseJson, type StoredCall, tryParse } from '@data-designer/core';
import type { OfferedTools } from '../offered-tools.ts';
import type { TrajectoryCheck } from '../trajectory.ts';

/** Arguments that are no JSON object, or that the schema of their tool refuses. */
export const badArguments = {
  kind: 'bad_arguments',
  description: 'Arguments of a call that are not a JSON object, or that the schema of the tool refuses.',
  find({ messages, rules: { tools } }, report) {
    messages.forEach(({ calls }, index) => {
      for (const call of calls) {
        const mistake = mistakeIn(call, tools);
        if (mistake !== undefined) report(index, mistake);
      }
    });
  },
} as const satisfies TrajectoryCheck;

function mistakeIn({ name, arguments: text }: StoredCall, tools: OfferedTools | undefined): string | undefined {
  const value = isNestedTooDeeply(text) ? undefined : tryParse(text.trim() === '' ? '{}' : text, parseJson);
  if (value === undefined || !isFields(value)) return `the arguments of '${name}' are not a JSON object`;
  const accepted = tools?.argumentsOf(name)?.(value);
  if (accepted === undefined) return undefined;
  if ('mistake' in accepted) return `the arguments of '${name}' do not match its schema: ${accepted.mistake}`;
  // A run converts such arguments before it calls the tool, and a model learns them as they are written.
  if (accepted.value !== value) return `the arguments of '${name}' match its schema only after a conversion of types`;
  return undefined;
}
