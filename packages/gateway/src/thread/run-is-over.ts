import { DataDesignerError } from '@data-designer/core';

/** What is told to who asks at the end of a run for something that is not at hand: `run/over`. */
export function runIsOver(): DataDesignerError {
  return new DataDesignerError('run/over', { reason: 'the run is about to end' });
}
