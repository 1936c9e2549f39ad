import { answer } from '../chat/answer.ts';
import { tokensOfTurn } from '../chat/count-tokens.ts';
import { writeSentence } from '../chat/write-sentences.ts';
import { badRequest, refusalBody } from '../refusal.ts';
import { checkResponsesRequest } from './check-responses-request.ts';
import { encryptReasoning } from './encrypt-reasoning.ts';
import { responseBody } from './response-body.ts';
import { reasons, type ResponsesRequest } from './responses-request.ts';
import { toChatRequest } from './to-chat-request.ts';
import { turnOf } from '../openai/chat-protocol.ts';
import { type ReplyInputs, changed, type Protocol, type Reply } from '../protocol.ts';

/** OpenAI's Responses: the same answers as in chat completions, with reasoning that goes back encrypted. */
export const responsesProtocol: Protocol<ResponsesRequest> = {
  check: (body, { settings }) => checkResponsesRequest(body, settings),
  reply: replyToResponses,
  refusalBody,
  textKey: '"text":"',
  flaws: {
    'no-choices': (body) => changed(body, () => ({ output: null })),
    'choice-error': (body) =>
      changed(body, () => ({
        status: 'failed',
        error: { code: 'server_error', message: 'Upstream error' },
        output: [],
      })),
    'object-content': (body) =>
      changed(body, () => ({ output: [{ type: 'message', role: 'assistant', content: { text: 'an object' } }] })),
  },
};

const NO_SCHEMA = badRequest("'text.format' of type 'json_schema' is not supported with this model.", 'text.format');

function replyToResponses(request: ResponsesRequest, asked: ReplyInputs): Reply {
  const { hash, draws, settings } = asked;
  const chat = toChatRequest(request);
  const turn = turnOf(chat, asked);
  const plain = answer(turn);
  const thinks = reasons(request) && plain.reasoning === undefined;
  const said = thinks ? { ...plain, reasoning: writeSentence(turn.prompt, draws.of('reasoning')) } : plain;
  const tokens = tokensOfTurn(chat, said);
  const isKept = request.include?.includes('reasoning.encrypted_content');
  const reasoning = {
    isShown: !thinks || request.reasoning?.summary != null,
    encrypted: isKept && said.reasoning ? encryptReasoning(said.reasoning, settings.seed) : undefined,
  };
  const body = responseBody({ hash, model: request.model, answer: said, tokens, reasoning });
  const refused = turn.fault === 'no-schema' && request.text?.format?.type === 'json_schema';
  return { body, tokens, fault: turn.fault, ...(refused ? { refusal: NO_SCHEMA } : {}) };
}
