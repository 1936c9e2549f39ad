import type { core } from 'zod';
import { itemsOf, type Violation } from '@data-designer/core';
import { isMapping, snakeCase } from './spelling.ts';

type Path = readonly PropertyKey[];

/** The spelling of keys that a document lacks: snake_case as in files, or camelCase as in programs. */
export type Spelling = 'snake' | 'camel';

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Prints the path of a part of a document in the document's spelling, as `columns[1].model_alias`. */
export function printPath(path: Path, document: unknown, spelling: Spelling = 'snake'): string {
  let text = '';
  let here: unknown = document;
  for (const step of path) {
    if (typeof step === 'number') {
      text += `[${step}]`;
      here = itemsOf(here)[step];
    } else {
      const key = spelled(String(step), here, spelling);
      text += IDENTIFIER.test(key) ? `${text === '' ? '' : '.'}${key}` : `[${JSON.stringify(key)}]`;
      here = isMapping(here) && Object.hasOwn(here, key) ? here[key] : undefined;
    }
  }
  return text;
}

/** A key in the document's spelling; a missing one in the given spelling. */
function spelled(key: string, here: unknown, spelling: Spelling): string {
  return (isMapping(here) && Object.hasOwn(here, key)) || spelling === 'camel' ? key : snakeCase(key);
}

/** A parsed value with its position in a document. */
export interface ParsedValue {
  readonly schema: core.$ZodType;
  /** The refused value, with keys in camelCase. */
  readonly value: unknown;
  readonly prefix: Path;
  /** The document in its own spelling. */
  readonly document: unknown;
  readonly spelling?: Spelling | undefined;
  readonly column?: string;
  /** Whether values could be keys, so that no message quotes one. */
  readonly isPrivate?: boolean;
}

/** An error that shows on loading. */
export function loadError(path: string, told: Pick<Violation, 'type' | 'message' | 'remedy'>): Violation {
  return { stage: 'load', level: 'ERROR', path, ...told };
}
