import type { ToolSchema } from '@data-designer/core';
import type { RequestRules, SentTool } from './request-rules.ts';

/** The tools of a request, and those that do not fit into it. */
export interface FittedTools {
  readonly tools: readonly SentTool[];
  readonly leftOut: readonly ToolSchema[];
}

const known = new WeakMap<readonly ToolSchema[], Map<RequestRules, FittedTools>>();

/**
 * The tools of a request as its provider accepts them: the first ones up to its maximum, descriptions up to its length and
 * without empty ones. Worked out once for each list of tools.
 */
export function fitTools(tools: readonly ToolSchema[], rules: RequestRules): FittedTools {
  const fitted = known.get(tools) ?? new Map<RequestRules, FittedTools>();
  known.set(tools, fitted);
  let found = fitted.get(rules);
  if (!found) {
    const most = rules.maxTools ?? tools.length;
    found = { tools: tools.slice(0, most).map((tool) => fitTool(tool, rules)), leftOut: tools.slice(most) };
    fitted.set(rules, found);
  }
  return found;
}

const GOES_ON = ' … (continued in the description of the parameters)';

function fitTool(tool: ToolSchema, { maxDescription, parameters: formOf }: RequestRules): SentTool {
  const { type } = tool;
  const { name, description, parameters } = tool.function;
  const formed = formOf ? formOf(parameters) : parameters;
  const most = maxDescription ?? description.length;
  const isLong = description.length > most;
  if (description.trim() !== '' && !isLong && formed === parameters) return tool;
  const start = isLong ? headOf(description, most - GOES_ON.length) : description;
  const sent = isLong ? withDescription(formed, description.slice(start.length)) : formed;
  return {
    type,
    function: {
      name,
      ...(description.trim() === '' ? {} : { description: isLong ? start + GOES_ON : description }),
      ...(sent ? { parameters: sent } : {}),
    },
  };
}

/** The start of a text, up to the end of a word, and with whole characters. */
function headOf(text: string, most: number): string {
  const head = text.slice(0, most);
  const end = head.search(/\s\S*$/);
  const words = end > most / 2 ? head.slice(0, end) : head;
  return /[\uD800-\uDBFF]$/.test(words) ? words.slice(0, -1) : words;
}

/** The rest of a tool's description before that of its parameters, which has no limit. */
function withDescription(parameters: SentTool['function']['parameters'], rest: string) {
  const { description, ...others } = parameters ?? { type: 'object', properties: {} };
  const own = typeof description === 'string' && description !== '' ? `\n\n${description}` : '';
  return { ...others, description: `(continued) ${rest.trimStart()}${own}` };
}
