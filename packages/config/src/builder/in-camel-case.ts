import type { Violation } from '@data-designer/core';
import { camelCase, isMapping } from '../spelling.ts';

/** A finding in a document whose declared keys are in camelCase; missing ones were named as files write them. */
export function inCamelCase(violation: Violation, document: unknown): Violation {
  // The remedy for an unknown key lists declared keys and nothing else.
  const remedy = violation.type === 'unknown_key' ? camelCase(violation.remedy) : violation.remedy;
  return { ...violation, path: respelled(violation.path, document), remedy };
}

/** A path whose steps stay where the document has them, and are in camelCase where it has not. */
function respelled(path: string, document: unknown): string {
  let here: unknown = document;
  return path.replace(/\[(\d+)\]|[^.[\]]+/g, (step, index: string | undefined) => {
    if (index !== undefined) {
      here = Array.isArray(here) ? (here[Number(index)] as unknown) : undefined;
      return step;
    }
    const key = isMapping(here) && !(step in here) ? camelCase(step) : step;
    here = isMapping(here) ? here[key] : undefined;
    return key;
  });
}
