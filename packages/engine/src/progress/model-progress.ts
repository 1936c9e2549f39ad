import type { Plan } from '@data-designer/core';
import { modelOf, type ModelState } from '@data-designer/gateway';
import type { ModelProgress } from './progress-snapshot.ts';

/** The progress of a plan's models from states of `elapsedMs` ago; the initial state where none was reported. */
export function modelProgress(
  { models, resources }: Pick<Plan, 'models' | 'resources'>,
  states: readonly ModelState[],
  elapsedMs: number,
): ModelProgress[] {
  const told = new Map(states.map((state) => [state.resource, state]));
  return resources.flatMap((resource) => {
    if (resource.kind !== 'model') return [];
    const { id } = resource;
    const aliases = Object.values(models).flatMap((model) => (model.resource === id ? model.alias : []));
    const { inFlight = 0, limit = resource.limit, waiting = 0, pausedMs = 0 } = told.get(id) ?? {};
    return { model: modelOf(id), aliases, inFlight, limit, waiting, pausedMs: Math.max(0, pausedMs - elapsedMs) };
  });
}
