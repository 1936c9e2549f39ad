import { fieldsOf, isFields } from './json-fields.ts';
import type { ToolSchema } from './message.ts';

/** A tool as MCP servers and files of tool lists describe it; undefined without a name, or with a schema that is no object. */
export function listedTool(tool: unknown): ToolSchema['function'] | undefined {
  const { name, description = '', inputSchema: parameters = { type: 'object', properties: {} } } = fieldsOf(tool);
  if (typeof name !== 'string' || name === '' || typeof description !== 'string' || !isFields(parameters)) {
    return undefined;
  }
  return { name, description, parameters };
}
