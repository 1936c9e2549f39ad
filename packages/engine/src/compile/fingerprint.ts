import { createHash } from 'node:crypto';
import type { DatasetConfig } from '@data-designer/config';
import { Float, stringifyJson } from '@data-designer/core';

/**
 * What makes two declarations the same dataset: all of them but how fast and how patiently models and tools are asked
 * (as in NeMo Data Designer).
 */
export function datasetFingerprint({ columns, modelConfigs, toolConfigs }: DatasetConfig): string {
  const models = modelConfigs.map(({ skipHealthCheck: _, inferenceParameters, ...model }) => {
    const { maxParallelRequests: _limit, timeout: _timeout, ...parameters } = inferenceParameters;
    return { ...model, inferenceParameters: parameters };
  });
  const tools = toolConfigs.map(({ timeoutSec: _, ...tool }) => tool);
  return fingerprint({
    columns,
    modelConfigs: models.toSorted((a, b) => (a.alias < b.alias ? -1 : 1)),
    toolConfigs: tools.toSorted((a, b) => (a.toolAlias < b.toolAlias ? -1 : 1)),
  });
}

/** SHA-256 over a value's JSON with sorted keys, so that the order in which keys were written does not matter. */
function fingerprint(value: unknown): string {
  return `sha256:${createHash('sha256')
    .update(stringifyJson(sorted(value)))
    .digest('hex')}`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Float) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}
