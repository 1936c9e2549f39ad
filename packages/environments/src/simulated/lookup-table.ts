import { type CellValue, type Fields, isFields, isList } from '@data-designer/core';
import { compileArguments } from '@data-designer/json-schema';
import { isEqual } from '../compare-states.ts';
import { jsonIn, shownStart } from '../json-in.ts';
import type { SimulatedTool } from './simulated-config.ts';

/** The results of a tool by their arguments. */
export interface LookupTable {
  /** The entry with equal arguments; undefined without one. */
  readonly find: (args: CellValue) => { readonly result: CellValue } | undefined;
}

/** The entries of a table, with arguments as the tool's schema takes them; throws an `Error` for anything else. */
export function lookupTable(
  { name, parameters }: Pick<SimulatedTool, 'name' | 'parameters'>,
  given: CellValue,
): LookupTable {
  const list = jsonIn(given, `lookup of '${name}'`);
  if (!isList(list)) throw new Error(`its lookup of '${name}' is no list of entries: ${shownStart(list)}`);
  const accept = compileArguments({ ...parameters, type: 'object' });
  const entries = list.map((entry) => {
    if (!isFields(entry) || !Object.hasOwn(entry, 'result')) {
      throw new Error(`its lookup of '${name}' has an entry without a result: ${shownStart(entry)}`);
    }
    const { arguments: args, result } = entry as Fields & {
      readonly arguments?: CellValue;
      readonly result: CellValue;
    };
    const asked = jsonIn(args ?? {}, `lookup of '${name}'`);
    const accepted = accept?.(asked);
    return { asked: accepted && 'value' in accepted ? accepted.value : asked, result };
  });
  return { find: (args) => entries.find(({ asked }) => isEqual(asked, args)) };
}
