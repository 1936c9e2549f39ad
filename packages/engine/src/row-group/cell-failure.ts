import { type CellFailure, type ChatMessage, type DataDesignerError, stringifyJson } from '@data-designer/core';
import { conversationOf } from '@data-designer/models';

/** A conversation longer than this is cut to its last messages: it is kept to see what went wrong. */
const MAX_CHARACTERS = 100_000;

/** A failure as the dataset keeps it. */
export function cellFailureOf(
  failure: DataDesignerError,
  at: Pick<CellFailure, 'row' | 'column' | 'onFailure'>,
): CellFailure {
  const { code, message } = failure;
  return { ...at, code, message, messages: lastOf(conversationOf(failure) ?? []) };
}

function lastOf(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let left = MAX_CHARACTERS;
  const kept = messages.toReversed().filter((message) => (left -= stringifyJson(message).length) > 0);
  return kept.toReversed();
}
