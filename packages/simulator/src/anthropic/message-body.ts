import type { Answer } from '../chat/turn.ts';
import type { Tokens } from '../ledger.ts';
import { signThinking } from './sign-thinking.ts';

/** An answer with what the protocol says around it. */
export interface AnsweredMessage {
  readonly hash: string;
  readonly model: string;
  readonly answer: Answer;
  readonly tokens: Tokens;
  readonly seed: number;
}

const STOP_REASONS = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens' } as const;

/** The JSON body of a message. */
export function messageBody({ hash, model, answer, tokens, seed }: AnsweredMessage): string {
  const { content, reasoning, toolCalls, finishReason } = answer;
  const { promptTokens, cachedTokens, completionTokens } = tokens;
  return JSON.stringify({
    id: `msg_${hash.slice(0, 24)}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(reasoning === undefined
        ? []
        : [{ type: 'thinking', thinking: reasoning, signature: signThinking(reasoning, seed) }]),
      ...(content ? [{ type: 'text', text: content }] : []),
      ...toolCalls.map((call) => ({
        type: 'tool_use',
        id: call.id,
        name: call.function.name,
        input: inputOf(call.function.arguments),
      })),
    ],
    stop_reason: STOP_REASONS[finishReason],
    stop_sequence: null,
    usage: {
      input_tokens: promptTokens - cachedTokens,
      cache_read_input_tokens: cachedTokens,
      cache_creation_input_tokens: 0,
      output_tokens: completionTokens,
    },
  });
}

/** Arguments that are broken on purpose have no place in this protocol: its models write objects. */
function inputOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
