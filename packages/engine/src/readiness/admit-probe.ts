import type { Gateway, PlannedModel } from '@data-designer/core';
import { openClient } from '@data-designer/models';

/** Half of the Python tool's bound of 180 s: an endpoint may still be starting, and one retry follows. */
const PROBE_TIMEOUT_MS = 90_000;

/** Admits a probe; returns the client, the model and an address that no row and no other alias has. */
export async function admitProbe(gateway: Gateway, model: PlannedModel, call = 0) {
  const at = { row: -1, column: model.alias, call } as const;
  await gateway.admit(model.resource, at);
  const timeoutMs = Math.min(model.timeoutMs, PROBE_TIMEOUT_MS);
  return [openClient(gateway, model), { ...model, timeoutMs, deadlineMs: timeoutMs }, at] as const;
}
