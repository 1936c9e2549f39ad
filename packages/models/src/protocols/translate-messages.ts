import type { ChatMessage, ContentPart, DataDesignerError } from '@data-designer/core';
import type { ModelRequest } from '../model-client.ts';
import { unsupported } from '../answers/model-refusals.ts';

/** Sent in place of an empty answer: many servers refuse a message without content. */
export const NO_ANSWER = '(no answer)';

/** Sent in place of an empty result of a tool, which Gemini and several servers refuse, or of a message that lacks. */
export const NO_CONTENT = '(no content)';

/** The model that is asked, and the answers that must go back as they were written. */
export interface TranslationContext {
  readonly model: string;
  readonly asWritten?: ReadonlyMap<ChatMessage, unknown> | undefined;
}

/** The text of a message, its parts joined by newlines. */
export function textIn({ content }: Pick<ChatMessage, 'content'>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ text }) => text ?? []).join('\n');
}

/** The parts that can be sent: servers refuse empty texts and blanks. */
export function filledParts(content: Exclude<ChatMessage['content'], string>): readonly ContentPart[] {
  return (content ?? []).filter(({ type, text }) => type !== 'text' || text?.trim());
}

/** The failure of a sound or a video that a protocol cannot carry. */
export function unsupportedMedia({ type }: ContentPart, model: string, protocol: string): DataDesignerError {
  return unsupported(model, type === 'audio' ? 'accept audio' : 'accept video', protocol);
}

type Parameters = ModelRequest['parameters'];

/** Parameters of chat completions that no other protocol knows. */
const CHAT_COMPLETIONS_ONLY = new Set([
  'n',
  'response_format',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'stop',
]);

/** The parameters that protocols other than chat completions may know. */
export function sharedParameters(parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !CHAT_COMPLETIONS_ONLY.has(name)));
}

/** Translates each object of parameters once: requests share it. */
export function translatedOnce(
  translate: (parameters: Parameters) => Parameters,
): (parameters: Parameters) => Parameters {
  const translated = new WeakMap<Parameters, Parameters>();
  return (parameters) => {
    let known = translated.get(parameters);
    if (!known) translated.set(parameters, (known = translate(parameters)));
    return known;
  };
}
