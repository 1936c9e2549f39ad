import { isFields, itemsOf } from '@data-designer/core';
import { asSchema, type Schema } from './resolve-schema.ts';

/** A tool call that a text spells out; its arguments are JSON. */
export interface OrderedCall {
  readonly name: string;
  readonly arguments: string;
}

/** Names of properties in which a person asks for something. */
const REQUEST = /request|task|instruction|goal/i;
/** Keys of a schema that leave no room for a sentence. */
const NARROW = ['enum', 'const', 'pattern', 'format', 'maxLength'];
/** Closing braces that are tried for one object. */
const MOST_BRACES = 50;

/** Lets the request of a drawn object ask for the calls that the same object plans, so that a simulated agent can serve it. */
export function orderPlannedCalls(
  drawn: Readonly<Record<string, unknown>>,
  properties: Schema,
): Record<string, unknown> {
  const calls = Object.values(drawn).flatMap((value) => plannedCalls(value) ?? []);
  if (calls.length === 0) return drawn;
  const order = `Please make these calls: ${calls.map(({ name, arguments: args }) => `${name} ${args}`).join(', then ')}.`;
  const ordered = Object.entries(drawn).map(([name, value]) => {
    const schema = asSchema(properties[name]);
    const isRequest = typeof value === 'string' && REQUEST.test(name) && !NARROW.some((key) => key in schema);
    return [name, isRequest ? order : value];
  });
  return Object.fromEntries(ordered) as Record<string, unknown>;
}

/** The items of a list of tool calls; undefined for any other value. */
function plannedCalls(value: unknown): readonly OrderedCall[] | undefined {
  const items = itemsOf(value);
  const calls = items.flatMap((item) =>
    isFields(item) && typeof item['name'] === 'string' && isFields(item['arguments'])
      ? [{ name: item['name'], arguments: JSON.stringify(item['arguments']) }]
      : [],
  );
  return calls.length === items.length ? calls : undefined;
}

/** The calls of these tools that a text spells out, as in `transfer {"amount": 5}`, in their order. */
export function orderedCalls(text: string, tools: ReadonlySet<string>): readonly OrderedCall[] {
  const calls: OrderedCall[] = [];
  for (const { 1: name = '', index, 0: begin } of text.matchAll(/(?<![\w-])([\w-]+) (?=\{)/g)) {
    const args = tools.has(name) ? objectAt(text, index + begin.length) : undefined;
    if (args !== undefined) calls.push({ name, arguments: JSON.stringify(args) });
  }
  return calls;
}

/** The JSON object that begins at a place of a text. */
function objectAt(text: string, begin: number): unknown {
  let end = begin;
  for (let brace = 0; brace < MOST_BRACES; brace++) {
    end = text.indexOf('}', end) + 1;
    if (end === 0) return undefined;
    try {
      return JSON.parse(text.slice(begin, end));
    } catch {
      // The object has further braces.
    }
  }
  return undefined;
}
