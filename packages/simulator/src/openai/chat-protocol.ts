import { answer } from '../chat/answer.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { checkChatRequest } from './check-chat-request.ts';
import { tokensOfTurn } from '../chat/count-tokens.ts';
import { Prompt } from '../chat/prompt.ts';
import type { Answer, Turn } from '../chat/turn.ts';
import { chooseFault } from '../choose-fault.ts';
import { Draws } from '../draws.ts';
import type { Tokens } from '../ledger.ts';
import { drawPicture } from '../pictures/draw-picture.ts';
import { badRequest, refusalBody } from '../refusal.ts';
import { completionBody } from './completion-body.ts';
import { type ReplyInputs, changed, type Protocol, type Reply } from '../protocol.ts';

/** OpenAI's chat completions. */
export const chatProtocol: Protocol<ChatRequest> = {
  check: checkChatRequest,
  reply: replyToChat,
  refusalBody,
  textKey: '"content":"',
  flaws: {
    'no-choices': (body) => withChoice(body, () => []),
    // As OpenRouter tells of an upstream that broke off.
    'choice-error': (body) =>
      withChoice(body, (choice) => [
        { ...choice, finish_reason: 'error', error: { code: 502, message: 'Upstream error' } },
      ]),
    'object-content': (body) =>
      withChoice(body, (choice) => [{ ...choice, message: { role: 'assistant', content: { text: 'an object' } } }]),
  },
};

function withChoice(body: string, change: (choice: object) => readonly object[]): string {
  return changed(body, ({ choices }) => ({ choices: Array.isArray(choices) ? change(Object(choices[0])) : choices }));
}

function replyToChat(request: ChatRequest, asked: ReplyInputs): Reply {
  const { hash, draws } = asked;
  const turn = turnOf(request, asked);
  const isImage = asksForImage(request);
  const said = isImage ? NO_TEXT : answer(turn);
  const pictures = isImage && turn.fault !== 'empty' ? [drawPicture(draws)] : [];
  const tokens: Tokens = { ...tokensOfTurn(request, said), pictures: pictures.length };
  const body = completionBody({ hash, model: request.model, answer: said, tokens, pictures });
  const refused = turn.fault === 'no-schema' && request.response_format?.type === 'json_schema';
  return { body, tokens, fault: turn.fault, ...(refused ? { refusal: NO_SCHEMA } : {}) };
}

const NO_SCHEMA = badRequest(
  "'response_format' of type 'json_schema' is not supported with this model.",
  'response_format',
);
const NO_TEXT: Answer = { content: '', toolCalls: [], finishReason: 'stop' };

/** One turn of a conversation, with all that its answer depends on. */
export function turnOf(request: ChatRequest, { settings, draws, timesSeen }: ReplyInputs): Turn {
  const prompt = new Prompt(request);
  const { outputTokens } = settings;
  const turn = { request, prompt, draws, outputTokens, shared: Draws.ofConversation(settings.seed, prompt.start) };
  return { ...turn, fault: chooseFault(turn, settings.faults, timesSeen) };
}

/** By its modalities, or by a model whose name says so. */
function asksForImage({ model, modalities }: ChatRequest): boolean {
  return modalities?.includes('image') === true || model.includes('image');
}
