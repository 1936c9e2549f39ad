import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';
import type { FormatsPlugin } from 'ajv-formats';
import type { JsonSchema } from './json-schema.ts';
import { linearPattern, patternOf } from './patterns/pattern.ts';

const require = createRequire(import.meta.url);

/** Unknown keywords and formats are passed over, as the reference tool does. */
const OPTIONS: Options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // That a schema is one is asked once a dialect, for compiling what asks it takes ten milliseconds.
  validateSchema: false,
  // To see whether a reference could be inlined, ajv walks lists within lists in exponential time.
  inlineRefs: false,
  code: { regExp: Object.assign((source: string) => patternOf(source), { code: 'patternOf' }) },
};

/** An answer's mistakes are all collected. */
const THOROUGH: Options = { ...OPTIONS, allErrors: true, verbose: true };

const checkers = new Map<string, Ajv>();

/** Whether a schema that says nothing of its dialect is one of that dialect. */
export function isJsonSchema(schema: JsonSchema, dialect: unknown): boolean {
  const name = String(dialect);
  const checker = checkers.get(name) ?? loadAjv(dialect);
  checkers.set(name, checker);
  return checker.validateSchema(schema) === true;
}

/** What an ajv is for. */
export interface AjvUse {
  /** It only says whether a value is valid, ten times as fast. */
  readonly isQuick?: boolean;
  /** It holds texts to the formats that a schema names, as `date-time` or `uri`. */
  readonly hasFormats?: boolean;
  /** It changes values in place to the type that is asked for, as the text `"5"` to the number 5. */
  readonly coerces?: boolean;
}

/**
 * An empty ajv for the dialect that a schema names by `$schema`: draft-07 and older, 2019-09, else 2020-12. The
 * library is loaded here (50 ms), for it is needed by few runs.
 */
export function loadAjv(dialect: unknown, use: AjvUse = {}): Ajv {
  const ajv = emptyAjv(dialect, optionsFor(use));
  if (use.hasFormats) {
    const { default: addFormats } = require('ajv-formats') as { readonly default: FormatsPlugin };
    addFormats(ajv);
    // Of all formats only this one takes time that grows faster than the text.
    const { url } = ajv.formats;
    if (url instanceof RegExp) ajv.addFormat('url', (text: string) => linearPattern(url).test(text));
  }
  return ajv;
}

function optionsFor({ isQuick = false, hasFormats = false, coerces = false }: AjvUse): Options {
  return { ...(isQuick ? OPTIONS : THOROUGH), validateFormats: hasFormats, coerceTypes: coerces };
}

function emptyAjv(dialect: unknown, options: Options): Ajv {
  const name = typeof dialect === 'string' ? dialect : '';
  // Two statements each: `new (require(…) as T).Member()` is compiled without its parentheses.
  if (/draft-0\d/.test(name)) {
    const draft7 = require('ajv') as typeof import('ajv');
    return new draft7.Ajv(options);
  }
  if (name.includes('2019-09')) {
    const { Ajv2019 } = require('ajv/dist/2019.js') as typeof import('ajv/dist/2019.js');
    return new Ajv2019(options);
  }
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new Ajv2020(options);
}
