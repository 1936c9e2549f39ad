import type { Answer } from '../chat/turn.ts';
import type { Tokens } from '../ledger.ts';
import { CREATED } from '../openai/completion-body.ts';

/** An answer with what the protocol says around it. */
interface AnsweredResponse {
  readonly hash: string;
  readonly model: string;
  readonly answer: Answer;
  readonly tokens: Tokens;
  /** Whether reasoning is returned as a summary, and how it is encrypted. */
  readonly reasoning: { readonly isShown: boolean; readonly encrypted: string | undefined };
}

/** The JSON body of a response. */
export function responseBody({ hash, model, answer, tokens, reasoning }: AnsweredResponse): string {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = tokens;
  const isCut = answer.finishReason === 'length';
  const id = hash.slice(0, 24);
  return JSON.stringify({
    id: `resp_${id}`,
    object: 'response',
    created_at: CREATED,
    status: isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    model,
    output: [...reasoningItems(answer, id, reasoning), ...messageItems(answer, id), ...callItems(answer, id)],
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: reasoningTokens },
      total_tokens: promptTokens + completionTokens,
    },
  });
}

function reasoningItems({ reasoning: text }: Answer, id: string, reasoning: AnsweredResponse['reasoning']) {
  if (text === undefined) return [];
  const { isShown, encrypted } = reasoning;
  const summary = isShown ? [{ type: 'summary_text', text }] : [];
  return [{ id: `rs_${id}`, type: 'reasoning', summary, ...(encrypted ? { encrypted_content: encrypted } : {}) }];
}

function messageItems({ content }: Answer, id: string) {
  if (content === null) return [];
  const parts = [{ type: 'output_text', text: content, annotations: [] }];
  return [{ id: `msg_${id}`, type: 'message', status: 'completed', role: 'assistant', content: parts }];
}

function callItems({ toolCalls }: Answer, id: string) {
  return toolCalls.map(({ id: callId, function: { name, arguments: text } }, index) => ({
    id: `fc_${id}_${index}`,
    type: 'function_call',
    status: 'completed',
    call_id: callId,
    name,
    arguments: text,
  }));
}
