import { isFields } from '@data-designer/core';
import type { ToolDefinition } from './define-tool.ts';

/** The tools among a module's exports, alone or in lists; a tool that is exported twice counts once. */
export function toolsIn(exports: Readonly<Record<string, unknown>>): readonly ToolDefinition[] {
  return [...new Set(Object.values(exports).flat().filter(isTool))];
}

function isTool(value: unknown): value is ToolDefinition {
  return isFields(value) && typeof value.name === 'string' && typeof value.execute === 'function';
}
