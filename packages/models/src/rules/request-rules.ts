import type { RequestRulesName, ToolSchema } from '@data-designer/core';
import { openApiParameters } from './open-api-parameters.ts';

/** A tool as a request describes it; what its provider refuses when it is empty is absent. */
export interface SentTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: ToolSchema['function']['parameters'];
  };
}

/** The rules by which a provider accepts requests, beyond the format of its protocol. */
export interface RequestRules {
  /** The maximum number of tools; null without one. */
  readonly maxTools: number | null;
  /** The maximum number of characters of a tool's description; null without one. */
  readonly maxDescription: number | null;
  /** The form of a tool's parameters; undefined to send none. Absent where any JSON Schema is accepted. */
  readonly parameters?: (schema: ToolSchema['function']['parameters']) => SentTool['function']['parameters'];
  /** The media types of the images that it accepts. */
  readonly imageTypes: readonly string[];
  /** Whether it reads GIFs of more than one image. */
  readonly readsAnimations: boolean;
  /** The maximum length of an image in Base64; null without one. */
  readonly maxImageChars: number | null;
  /** The parameter of a chat request that seeds the sampling of its answer; absent without one. */
  readonly seedParameter?: string | undefined;
}

const MEGABYTE = 1024 * 1024;
const RASTER = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** The limits of OpenAI's own API, which many compatible endpoints copy (source: its errors). */
const OPENAI: RequestRules = {
  maxTools: 128,
  maxDescription: 1024,
  imageTypes: RASTER,
  readsAnimations: false,
  maxImageChars: 50 * MEGABYTE,
  seedParameter: 'seed',
};

/** Servers that run open models: they have no limits of their own, and read images with PIL or stb_image. */
const OPEN: RequestRules = {
  maxTools: null,
  maxDescription: null,
  imageTypes: [...RASTER, 'image/bmp', 'image/tiff'],
  readsAnimations: true,
  maxImageChars: null,
  seedParameter: 'seed',
};

/** The request rules by name. A new provider is one line here, and a name in core; `chosenRules` finds it by its host. */
export const REQUEST_RULES = {
  openai: OPENAI,
  azure: OPENAI,
  anthropic: {
    maxTools: null,
    maxDescription: null,
    imageTypes: RASTER,
    readsAnimations: true,
    maxImageChars: 5 * MEGABYTE,
  },
  gemini: {
    ...OPENAI,
    // A tool without parameters has no other place for the rest of a long description.
    maxDescription: null,
    parameters: openApiParameters,
    seedParameter: undefined,
    imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
    maxImageChars: 20 * MEGABYTE,
  },
  groq: { ...OPENAI, maxImageChars: 4 * MEGABYTE },
  mistral: { ...OPENAI, maxImageChars: 10 * MEGABYTE, seedParameter: 'random_seed' },
  xai: { ...OPENAI, maxTools: 200, imageTypes: ['image/png', 'image/jpeg'], maxImageChars: 20 * MEGABYTE },
  bedrock: { ...OPENAI, maxImageChars: 5 * MEGABYTE, seedParameter: undefined },
  vllm: OPEN,
  ollama: OPEN,
} as const satisfies Readonly<Record<RequestRulesName, RequestRules>>;

/** The rules of hosts that are known. */
const HOSTS: readonly (readonly [RegExp, RequestRulesName])[] = [
  [/(?:^|\.)openai\.com$/, 'openai'],
  [/\.(?:openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com|azure-api\.net)$/, 'azure'],
  [/(?:^|\.)anthropic\.com$/, 'anthropic'],
  [/(?:^|\.|-)(?:generativelanguage|aiplatform)\.googleapis\.com$/, 'gemini'],
  [/(?:^|\.)groq\.com$/, 'groq'],
  [/(?:^|\.)mistral\.ai$/, 'mistral'],
  [/(?:^|\.)x\.ai$/, 'xai'],
  [/(?:^|\.)bedrock-[a-z-]+\.[a-z0-9-]+\.(?:amazonaws\.com|api\.aws)$/, 'bedrock'],
];

/** Gemini behind a proxy of another host. */
const GEMINI_MODEL = /(?:^|[/~:])gemini-/i;

/** The rules of a provider by its host, or by its model behind a proxy; undefined for those of its protocol. */
export function chosenRules(endpoint: string, model: string): RequestRulesName | undefined {
  const host = URL.parse(endpoint)?.hostname ?? '';
  const known = HOSTS.find(([pattern]) => pattern.test(host))?.[1];
  return known ?? (GEMINI_MODEL.test(model) ? 'gemini' : undefined);
}
