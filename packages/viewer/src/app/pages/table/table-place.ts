import { useSyncExternalStore } from 'react';
import { withParams } from '../../address.ts';
import { keptParams } from '../../filter-params.ts';

/** The position of the reader in the table of each dataset and filter, for the way back from other pages. */
const places = new Map<string, number>();
const listeners = new Set<() => void>();
let changes = 0;

/** Notes the position of the reader among the rows of a filter. */
export function notePlace(params: URLSearchParams, at: number): void {
  const key = keptParams(params).toString();
  if ((places.get(key) ?? 0) === at) return;
  places.set(key, at);
  changes++;
  for (const listener of listeners) listener();
}

/** The parameters of the table at the noted position of their filter. */
export function placedParams(params: URLSearchParams): URLSearchParams {
  const kept = keptParams(params);
  const at = places.get(kept.toString()) ?? 0;
  return withParams(kept, { at: at === 0 ? undefined : String(at) });
}

/** Draws the component again when a position changes. */
export function usePlaces(): void {
  useSyncExternalStore(subscribe, () => changes);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
