import { DataDesignerError } from '@data-designer/core';
import { providerText } from './provider-text.ts';

/** The failure of a model that refuses to answer with a success status; `words` are its own, if any. */
export function refused(model: string, words: string): DataDesignerError {
  return new DataDesignerError('model/bad-answer', { model, reason: `it refuses to answer: ${providerText(words)}` });
}

/** The failure of a request that a protocol cannot express. */
export function unsupported(model: string, capability: string, protocol: string): DataDesignerError {
  return new DataDesignerError('model/unsupported-capability', { model, capability, protocol });
}
