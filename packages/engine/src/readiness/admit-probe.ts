import type { Gateway, PlannedModel } from '@data-designer/core';
import { openClient } from '@data-designer/models';

/** An endpoint that is not there yet may take so long; once more so long after that (Python's bound is 180 s in all). */
const PROBE_TIMEOUT_MS = 90_000;

/** A model that has been admitted for a probe: the client, its parameters, and an address that no row and no other alias has. */
export async function admitProbe(gateway: Gateway, model: PlannedModel, call = 0) {
  const at = { row: -1, column: model.alias, call } as const;
  await gateway.admit(model.resource, at);
  const timeoutMs = Math.min(model.timeoutMs, PROBE_TIMEOUT_MS);
  return [openClient(gateway, model), { ...model, timeoutMs, deadlineMs: timeoutMs }, at] as const;
}
