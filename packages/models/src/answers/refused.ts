import { DataDesignerError } from '@data-designer/core';
import { providerText } from './provider-text.ts';

/** The failure of a model that answers, with success by its status, that it will not; `words` are its own, if any. */
export function refused(model: string, words: string): DataDesignerError {
  return new DataDesignerError('model/bad-answer', { model, reason: `it refuses to answer: ${providerText(words)}` });
}
