import { type Fields, fieldsOf, isFields, itemsOf } from '@data-designer/core';
import { badRequest, type Refusal } from '../refusal.ts';
import { whyRefused } from './check-tool-schema.ts';
import { whyGeminiRefuses } from './check-gemini-schema.ts';

/** What a provider refuses beyond its protocol. Written from its errors, apart from the rules that clients follow. */
interface Rules {
  readonly maxTools?: number;
  readonly description?: { readonly least?: number; readonly most?: number };
  readonly toolName?: RegExp;
  readonly propertyName?: RegExp;
  /** Whether it refuses texts of blanks: as parts, or as results of tools too. */
  readonly noBlanks?: 'parts' | 'results';
  readonly schema?: (schema: unknown) => string | undefined;
  /** The media types of images; none for a model that reads text only. */
  readonly images: readonly string[];
  readonly maxImageChars?: number;
}

const RASTER = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const OPENAI: Rules = { maxTools: 128, description: { most: 1024 }, schema: whyRefused, images: RASTER };

const RULES = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: {
    schema: whyRefused,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    noBlanks: 'parts',
    images: RASTER,
    maxImageChars: 5_242_880,
  },
  gemini: {
    maxTools: 128,
    toolName: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/,
    schema: whyGeminiRefuses,
    noBlanks: 'results',
    images: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  },
  groq: { ...OPENAI, maxImageChars: 4_194_304 },
  mistral: { schema: whyRefused, images: RASTER },
  xai: { maxTools: 200, schema: whyRefused, images: ['image/png', 'image/jpeg'] },
  bedrock: { description: { least: 1 }, noBlanks: 'results', schema: whyRefused, images: RASTER },
  'text-only': { images: [] },
} as const satisfies Readonly<Record<string, Rules>>;

/** The name of a provider whose rules the simulator can take. */
export type RulesName = keyof typeof RULES;

/** The names of all providers. */
export const RULES_NAMES = Object.keys(RULES) as readonly RulesName[];

/** What a provider refuses in a request that its protocol accepts; undefined where it accepts it. */
export function checkRules(body: unknown, name: RulesName | undefined): Refusal | undefined {
  if (name === undefined) return undefined;
  const rules: Rules = RULES[name];
  const tools = itemsOf(fieldsOf(body)['tools']).map(toolOf);
  return (
    checkText(body) ??
    checkBlanks(body, rules) ??
    checkCount(tools, rules) ??
    checkNames(tools) ??
    firstOf(tools, (tool, at) => checkTool(tool, at, rules)) ??
    checkImages(body, rules)
  );
}

interface Tool {
  readonly name: string;
  readonly description: unknown;
  readonly parameters: unknown;
}

/** A tool of any protocol. */
function toolOf(tool: unknown): Tool {
  const own = fieldsOf(tool);
  const { name, description, parameters, input_schema: schema } = isFields(own['function']) ? own['function'] : own;
  return { name: String(name), description, parameters: schema ?? parameters };
}

function firstOf<Item>(
  items: readonly Item[],
  check: (item: Item, at: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [at, item] of items.entries()) {
    const refusal = check(item, at);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkText(body: unknown): Refusal | undefined {
  const isWhole = textsIn(body).every((text) => text.isWellFormed());
  return isWhole ? undefined : badRequest('The request body is not valid JSON: no low surrogate in string');
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [key, ...textsIn(part)]);
}

/** An empty text is a part without data to Gemini, and Anthropic wants more than blanks. */
function checkBlanks(body: unknown, { noBlanks }: Rules): Refusal | undefined {
  if (noBlanks === undefined) return undefined;
  const parts = fieldsIn(body).filter((part) => {
    if (noBlanks === 'results' && part['role'] === 'tool') return isBlank(part['content']);
    return part['type'] === 'text' && isBlank(part['text']);
  });
  return parts.length === 0 ? undefined : badRequest('messages: text content blocks must contain non-whitespace text');
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

/** Every object in a value. */
function fieldsIn(value: unknown): readonly Fields[] {
  if (Array.isArray(value)) return value.flatMap(fieldsIn);
  return isFields(value) ? [value, ...Object.values(value).flatMap(fieldsIn)] : [];
}

function checkNames(tools: readonly Tool[]): Refusal | undefined {
  const names = tools.map(({ name }) => name);
  const wrong = names.find((name, at) => !/^[\w-]{1,64}$/.test(name) || names.indexOf(name) !== at);
  return wrong === undefined ? undefined : badRequest(`Tool names must be unique and plain: '${wrong}'`, 'tools');
}

function checkCount({ length }: readonly Tool[], { maxTools = length }: Rules): Refusal | undefined {
  if (length <= maxTools) return undefined;
  const message = `Invalid 'tools': array too long. Expected an array with maximum length ${maxTools}, but got an array with length ${length} instead.`;
  return { ...badRequest(message, 'tools'), code: 'array_above_max_length' };
}

function checkTool({ name, description, parameters }: Tool, at: number, rules: Rules): Refusal | undefined {
  const { least = 0, most = Number.POSITIVE_INFINITY } = rules.description ?? {};
  const length = typeof description === 'string' ? description.length : undefined;
  if (length !== undefined && (length < least || length > most)) {
    return badRequest(`Invalid 'tools[${at}].function.description': string of length ${length}.`, `tools[${at}]`);
  }
  if (rules.toolName && !rules.toolName.test(name))
    return badRequest(`Invalid function name '${name}'.`, `tools[${at}]`);
  const key = rules.propertyName && keysIn(parameters).find((one) => !rules.propertyName?.test(one));
  if (key !== undefined) {
    return badRequest(`tools.${at}.input_schema.properties: Property keys should match pattern, got '${key}'`);
  }
  const reason = rules.schema?.(parameters);
  if (reason === undefined) return undefined;
  const message = `Invalid schema for function '${name}': ${reason}.`;
  return { ...badRequest(message, `tools[${at}].function.parameters`), code: 'invalid_function_parameters' };
}

/** The names of properties at any depth. */
function keysIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysIn);
  if (!isFields(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, part]) => [
    ...(keyword === 'properties' ? Object.keys(fieldsOf(part)) : []),
    ...keysIn(part),
  ]);
}

function checkImages(body: unknown, { images, maxImageChars = Number.POSITIVE_INFINITY }: Rules): Refusal | undefined {
  const shown = imagesIn(body);
  if (shown.length > 0 && images.length === 0) return badRequest('This model does not support image input.');
  return firstOf(shown, ({ type, base64 }) => {
    if (!images.includes(type)) return badRequest(`Unsupported image format: ${type}.`);
    if (typeSeen(Buffer.from(base64.slice(0, 24), 'base64')) !== type) {
      return badRequest(`The image does not match the provided media type ${type}.`);
    }
    return base64.length > maxImageChars ? badRequest('The image exceeds the maximum size.') : undefined;
  });
}

interface Image {
  readonly type: string;
  readonly base64: string;
}

/** The images of a request in the form of any protocol; those behind addresses are not fetched. */
function imagesIn(value: unknown): readonly Image[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn);
  if (!isFields(value)) return [];
  const { image_url: linked, source } = value;
  const { type, media_type: mediaType, data }: Fields = fieldsOf(source);
  if (type === 'base64') return [{ type: String(mediaType), base64: String(data) }];
  const url = isFields(linked) ? linked['url'] : linked;
  const found = typeof url === 'string' ? /^data:([^;,]*);base64,/.exec(url.slice(0, 200)) : null;
  if (found && typeof url === 'string') return [{ type: found[1] ?? '', base64: url.slice(found[0].length) }];
  return Object.values(value).flatMap(imagesIn);
}

function typeSeen(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1');
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('\xFF\xD8\xFF')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  return head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' ? 'image/webp' : undefined;
}
