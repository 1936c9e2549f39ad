import { DataDesignerError, type Fields, itemsOf, stringifyJson } from '@data-designer/core';
import { providerText } from './provider-text.ts';

/** The failure of a model that refuses to answer with a success status; `words` are its own, if any. */
export function refused(model: string, words: string): DataDesignerError {
  return new DataDesignerError('model/bad-answer', { model, reason: `it is a refusal: ${providerText(words)}` });
}

/** The failure of an answer that cannot be used: the error that it carries, or what it lacks. */
export function badAnswer(model: string, error: unknown, otherwise: string): DataDesignerError {
  return new DataDesignerError('model/bad-answer', { model, reason: reasonOf(error, otherwise) });
}

/** Why an answer cannot be used: the error that it carries, or what it lacks. */
export function reasonOf(error: unknown, otherwise: string): string {
  return error ? `it reports an error: ${providerText(stringifyJson(error))}` : otherwise;
}

/** The error that a body without an answer carries: under `error`, or as the fields of the body itself. */
export function errorIn(body: Fields): unknown {
  const { error, errors, detail, message, code, status_code: status } = body;
  if (error) return error;
  if (itemsOf(errors).length > 0) return itemsOf(errors)[0];
  if (typeof message === 'string' || typeof detail === 'string') return { message, detail, code: code ?? status };
  return error;
}

/** The finish reason of an answer that a filter withheld. */
export const WITHHELD = 'content_filter';

/** The failure of an answer that a filter withheld. */
export function withheld(model: string): DataDesignerError {
  return refused(model, 'a content filter blocked the text');
}

/** The failure of a request that a protocol cannot express. */
export function unsupported(model: string, capability: string, protocol: string): DataDesignerError {
  return new DataDesignerError('model/unsupported-capability', { model, capability, protocol });
}
