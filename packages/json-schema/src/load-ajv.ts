import type { Ajv, Options } from 'ajv';
import type { JsonSchema } from './json-schema.ts';
import { loadLibrary } from './load-library.ts';
import { boundedPattern, patternOf } from './patterns/pattern.ts';

/** Ajv ignores unknown keywords and formats, as the Python tool does. */
const OPTIONS: Options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // `isValidSchema` checks schemas with one instance per dialect, because compiling a meta-schema takes 10 ms.
  validateSchema: false,
  // Ajv's check whether it can inline a reference takes exponential time on nested lists.
  inlineRefs: false,
  code: { regExp: Object.assign((source: string) => patternOf(source), { code: 'patternOf' }) },
};

/** Collects every error of a value. */
const THOROUGH: Options = { ...OPTIONS, allErrors: true, verbose: true };

const checkers = new Map<string, Ajv>();

/** Whether a schema is valid by the meta-schema of a dialect. */
export function isValidSchema(schema: JsonSchema, dialect: unknown): boolean {
  return checkerOf(dialect).validateSchema(schema) === true;
}

/** Why a schema is invalid by the meta-schema of a dialect; undefined for a valid one. */
export function schemaMistake(schema: JsonSchema, dialect: unknown): string | undefined {
  const checker = checkerOf(dialect);
  if (checker.validateSchema(schema) === true) return undefined;
  const [first] = checker.errors ?? [];
  if (first === undefined) return undefined;
  const place = first.instancePath || 'it';
  const allowed: unknown = first.keyword === 'enum' ? first.params['allowedValues'] : undefined;
  if (Array.isArray(allowed)) return `${place} must be one of ${allowed.join(', ')}, not ${JSON.stringify(first.data)}`;
  return `${place} ${first.message ?? 'is invalid'}`;
}

function checkerOf(dialect: unknown): Ajv {
  const name = draftOf(dialect);
  const checker = checkers.get(name) ?? loadAjv(dialect);
  checkers.set(name, checker);
  return checker;
}

/** What an ajv instance is used for. */
export interface AjvUse {
  /** Stops at the first error, which is ten times as fast. */
  readonly isQuick?: boolean;
  /** Checks the `format` of texts, such as `date-time` or `uri`. */
  readonly hasFormats?: boolean;
  /** Converts values in place to the schema's type, such as the text `"5"` to the number 5. */
  readonly coerces?: boolean;
}

/**
 * Creates an ajv instance for the dialect in a schema's `$schema`: draft-07 and older, 2019-09, else 2020-12. The first
 * call loads the library (50 ms).
 */
export function loadAjv(dialect: unknown, use: AjvUse = {}): Ajv {
  const ajv = emptyAjv(dialect, optionsFor(use));
  if (use.hasFormats) {
    loadLibrary('ajv-formats').default(ajv);
    // Only this format's pattern can take more than linear time.
    const { url } = ajv.formats;
    if (url instanceof RegExp) ajv.addFormat('url', (text: string) => boundedPattern(url).test(text));
  }
  return ajv;
}

function optionsFor({ isQuick = false, hasFormats = false, coerces = false }: AjvUse): Options {
  return { ...(isQuick ? OPTIONS : THOROUGH), validateFormats: hasFormats, coerceTypes: coerces };
}

function emptyAjv(dialect: unknown, options: Options): Ajv {
  const draft = draftOf(dialect);
  if (draft === 'draft-07') {
    const { Ajv } = loadLibrary('ajv');
    return new Ajv(options);
  }
  if (draft === '2019-09') {
    const { Ajv2019 } = loadLibrary('ajv/dist/2019.js');
    return new Ajv2019(options);
  }
  const { Ajv2020 } = loadLibrary('ajv/dist/2020.js');
  return new Ajv2020(options);
}

function draftOf(dialect: unknown): 'draft-07' | '2019-09' | '2020-12' {
  const name = typeof dialect === 'string' ? dialect : '';
  if (/draft-0\d/.test(name)) return 'draft-07';
  return name.includes('2019-09') ? '2019-09' : '2020-12';
}
