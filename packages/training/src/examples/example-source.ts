import type { ExampleKind } from '../training-format.ts';
import { findChats } from './chats.ts';
import type { FindExamples, SourceOptions } from './find-examples.ts';
import { findMapped } from './mapped.ts';
import { findPairs } from './pairs.ts';
import { findTasks } from './tasks.ts';
import type { TrainingSource } from './training-source.ts';

/** Opens the source of each kind of examples; throws `dataset/no-chats` where the dataset has none. */
type OpenSource<Kind extends ExampleKind> = (
  source: TrainingSource,
  options: SourceOptions,
) => Promise<FindExamples<Kind>>;

const SOURCES: { readonly [Kind in ExampleKind]: OpenSource<Kind> } = {
  chat: findChats,
  pair: findPairs,
  task: findTasks,
};

/** Opens what finds the examples of a row. Throws `dataset/no-chats` and `dataset/no-column`. */
export async function openExamples<Kind extends ExampleKind>(
  kind: Kind,
  source: TrainingSource,
  options: SourceOptions,
): Promise<FindExamples<Kind>> {
  const { map } = options;
  if (map) return findMapped(kind, source, { ...options, map });
  return SOURCES[kind](source, options);
}
