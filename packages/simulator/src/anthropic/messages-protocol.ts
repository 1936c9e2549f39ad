import { answer } from '../chat/answer.ts';
import { tokensOfTurn } from '../chat/count-tokens.ts';
import { writeSentence } from '../chat/write-sentences.ts';
import { checkMessagesRequest } from './check-messages-request.ts';
import { messageBody } from './message-body.ts';
import type { MessagesRequest } from './messages-request.ts';
import { toChatRequest } from './to-chat-request.ts';
import type { Refusal } from '../refusal.ts';
import { turnOf } from '../openai/chat-protocol.ts';
import { type ReplyInputs, changed, type Protocol, type Reply } from '../protocol.ts';

/** Anthropic's Messages: the same answers as in chat completions, with signed thinking where it is switched on. */
export const messagesProtocol: Protocol<MessagesRequest> = {
  check: (body, { headers, settings }) => checkMessagesRequest(body, { headers, seed: settings.seed }),
  reply: replyToMessages,
  refusalBody,
  textKey: '"text":"',
  flaws: {
    'no-choices': (body) => changed(body, () => ({ content: null })),
    'choice-error': () => refusalBody({ status: 529, message: 'Overloaded' }),
    'object-content': (body) => changed(body, () => ({ content: [{ type: 'text', text: { text: 'an object' } }] })),
  },
};

function replyToMessages(request: MessagesRequest, asked: ReplyInputs): Reply {
  const { hash, draws, settings } = asked;
  const chat = toChatRequest(request);
  const turn = turnOf(chat, asked);
  const plain = answer(turn);
  const thinks = request.thinking?.type === 'enabled' && plain.reasoning === undefined;
  const said = thinks ? { ...plain, reasoning: writeSentence(turn.prompt, draws.of('reasoning')) } : plain;
  const tokens = tokensOfTurn(chat, said);
  const body = messageBody({ hash, model: request.model, answer: said, tokens, seed: settings.seed });
  return { body, tokens, fault: turn.fault };
}

/** What kinds of refusals are called in this protocol. */
const KINDS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const NOTHING_LEFT = 'Your credit balance is too low to access the API.';

function refusalBody({ status, message, code }: Refusal): string {
  const type = KINDS[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  const said = code === 'insufficient_quota' ? NOTHING_LEFT : message;
  return JSON.stringify({ type: 'error', error: { type, message: said } });
}
