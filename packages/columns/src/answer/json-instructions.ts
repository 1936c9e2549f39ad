import { stringifyJson } from '@data-designer/core';
import type { JsonSchema } from '@data-designer/json-schema';

/** The instructions for an answer in JSON of a schema. */
export function jsonInstructions(schema: JsonSchema): string {
  return `Answer in JSON:
- Put it into one fenced block that begins with \`\`\`json and ends with \`\`\`.
- Write one complete JSON value, with nothing left out and no comments.
- It has to be valid against the JSON Schema that follows.

<response_schema>
${stringifyJson(schema)}
</response_schema>`;
}
