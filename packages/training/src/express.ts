import type { ToolSchema } from '@data-designer/core';
import {
  type ExampleKind,
  type Examples,
  type Feature,
  FEATURES,
  type TrainingFormat,
  type TrainingMessage,
} from './training-format.ts';

/** The parts of an example that hold messages; each kind has some of them. */
export type MessageLists = {
  readonly [Part in 'messages' | 'prompt' | 'chosen' | 'rejected']?: readonly TrainingMessage[];
};

/** The features that an example has. */
export function featuresOf(example: Examples[ExampleKind]): ReadonlySet<Feature> {
  const found = new Set<Feature>();
  const names = new Set(example.tools.map((tool) => tool.function.name));
  for (const message of allMessages(example)) noteFeatures(message, { names, found });
  const { chosen = [], rejected = [] } = example as MessageLists;
  if (chosen.length > 1 || rejected.length > 1) found.add('turns');
  return found;
}

function noteFeatures(
  { role, content, reasoning_content: reasoning, tool_calls: calls = [] }: TrainingMessage,
  { names, found }: { readonly names: ReadonlySet<string>; readonly found: Set<Feature> },
): void {
  if (reasoning !== undefined && reasoning !== '') found.add('reasoning');
  if (calls.length > 0 || role === 'tool') found.add('tools');
  if (calls.length > 1) found.add('parallel_calls');
  if (calls.length > 0 && content !== null && content.length > 0) found.add('text_beside_calls');
  if (calls.some((call) => !names.has(call.function.name))) found.add('unknown_tools');
  if (typeof content === 'string' || content === null) return;
  for (const { type } of content) if (type !== 'text') found.add(type === 'image' ? 'images' : 'media');
}

/** All messages of an example. */
function allMessages(example: Examples[ExampleKind]): readonly TrainingMessage[] {
  const { messages = [], prompt = [], chosen = [], rejected = [] } = example as MessageLists;
  return [...messages, ...prompt, ...chosen, ...rejected];
}

/** Why an example cannot be written in a format, in words that continue "conversations"; none if it can. */
export function lackedBy<Kind extends ExampleKind>(
  { lacks, refuse }: TrainingFormat<Kind>,
  example: Examples[Kind],
): readonly string[] {
  const features = featuresOf(example);
  const lacked = lacks.filter((feature) => features.has(feature)).map((feature) => FEATURES[feature]);
  if (lacked.length > 0) return lacked;
  const reason = refuse?.(example);
  return reason === undefined ? [] : [reason];
}

/** An example without the reasoning of its messages. */
export function withoutReasoning<Kind extends ExampleKind>(example: Examples[Kind]): Examples[Kind] {
  return mapMessages(example, ({ reasoning_content: _, ...message }) => message);
}

/** An example with each message changed. */
function mapMessages<Example extends { readonly tools: readonly ToolSchema[] }>(
  example: Example,
  change: (message: TrainingMessage) => TrainingMessage,
): Example {
  const lists = (['messages', 'prompt', 'chosen', 'rejected'] as const).flatMap((part) => {
    const list = (example as MessageLists)[part];
    return list ? [[part, list.map(change)] as const] : [];
  });
  return { ...example, ...Object.fromEntries(lists) };
}
