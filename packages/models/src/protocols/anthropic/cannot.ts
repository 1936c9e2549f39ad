import { DataDesignerError } from '@data-designer/core';

/** The failure of a model that is asked for what its protocol has no words for. */
export function cannot(model: string, capability: string): DataDesignerError {
  return new DataDesignerError('model/unsupported-capability', { model, capability, wire: 'anthropic' });
}
