import { DataDesignerError, tryParse } from '@data-designer/core';
import type { Meter } from '../model-client.ts';
import type { ModelRequests } from '../model-protocol.ts';
import { unusableAnswer } from './provider-text.ts';
import { readTokens } from './read-tokens.ts';

/** Whose answer it is, how it is parsed, and who counts it. */
interface Parsing {
  readonly model: string;
  readonly parse: ModelRequests['parseBody'];
  readonly meter?: Meter | undefined;
}

/**
 * Parses the body of a success, whatever its content type; throws `model/broken-answer`. A truncated or streamed body may
 * still tell its usage, which counts.
 */
export function parseBody(body: string, { model, parse, meter }: Parsing): unknown {
  try {
    return parse(body);
  } catch (thrown) {
    const tokens = readTokens(usageIn(body));
    if (tokens.input !== null || tokens.output !== null) meter?.onSpent({ tokens, pictures: 0 });
    throw new DataDesignerError('model/broken-answer', { model, ...unusableAnswer(body) }, { cause: thrown });
  }
}

const USAGE = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g;

/** The last complete `usage` object in a text. */
function usageIn(text: string): unknown {
  const found = [...text.matchAll(USAGE)].at(-1)?.[1];
  return found === undefined ? undefined : tryParse(found, JSON.parse);
}
