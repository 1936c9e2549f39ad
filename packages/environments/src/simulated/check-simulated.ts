import { isTemplate } from '@data-designer/template';
import { type CellValue, isFields, isList, stringifyJson } from '@data-designer/core';
import { compileArguments, isValidSchema } from '@data-designer/json-schema';
import { toolMistakes } from '../declared-tools.ts';
import { type EnvironmentMistake, mistake } from '../environment-kind.ts';
import { jsonIn } from '../json-in.ts';
import { MOST_STATE_BYTES } from './limits.ts';
import { asksModel, type SimulatedConfig, type SimulatedTool } from './simulated-config.ts';

/** Finds tools that nobody plays, schemas that cannot be used, and a state or a table that does not fit. */
export async function checkSimulated({
  modelAlias,
  state,
  tools,
}: SimulatedConfig): Promise<readonly EnvironmentMistake[]> {
  const listed = typeof tools === 'string' ? [] : tools;
  const unplayed = listed.find(asksModel);
  return [
    ...(modelAlias === undefined && unplayed
      ? [
          mistake(
            ['modelAlias'],
            `no model plays the tool '${unplayed.name}'.`,
            'Add model_alias, or give each tool a lookup.',
          ),
        ]
      : []),
    ...stateMistakes(state as CellValue),
    ...listed.flatMap((_, index) => mistakesOf(listed, index)),
  ];
}

function stateMistakes(given: CellValue): readonly EnvironmentMistake[] {
  if (typeof given === 'string' && isTemplate(given)) return [];
  let state: CellValue = null;
  try {
    state = jsonIn(given, 'state');
  } catch {
    // It is no object either.
  }
  if (!isList(state) && !isFields(state)) {
    return [
      mistake(['state'], 'the state is neither an object nor a list.', 'Write JSON, or a template that gives it.'),
    ];
  }
  const bytes = Buffer.byteLength(stringifyJson(state));
  if (bytes <= MOST_STATE_BYTES) return [];
  return [mistake(['state'], `the state has ${bytes} bytes, more than ${MOST_STATE_BYTES}.`, 'Make it smaller.')];
}

function mistakesOf(tools: readonly SimulatedTool[], index: number): readonly EnvironmentMistake[] {
  const tool = tools[index];
  if (!tool) return [];
  const { name, parameters, outputSchema, lookup } = tool;
  const at = ['tools', index];
  return [
    ...toolMistakes(tools, index),
    ...(outputSchema === undefined || isValidSchema(outputSchema, outputSchema['$schema'])
      ? []
      : [mistake([...at, 'outputSchema'], `the schema of the results of '${name}' is not valid.`, 'Correct it.')]),
    ...(refersElsewhere(outputSchema)
      ? [mistake([...at, 'outputSchema'], 'a reference leads elsewhere than to $defs.', 'Move its schema to $defs.')]
      : []),
    ...(isList(lookup as CellValue)
      ? entryMistakes({ name, parameters }, lookup as readonly Entry[], [...at, 'lookup'])
      : []),
  ];
}

interface Entry {
  readonly arguments: Readonly<Record<string, CellValue>>;
}

function entryMistakes(
  { name, parameters }: Pick<SimulatedTool, 'name' | 'parameters'>,
  entries: readonly Entry[],
  at: EnvironmentMistake['field'],
): readonly EnvironmentMistake[] {
  const accept = compileArguments({ ...parameters, type: 'object' });
  const known = new Set<string>();
  return entries.flatMap(({ arguments: args }, index) => {
    const accepted = accept?.(args) ?? { value: args };
    if ('mistake' in accepted) {
      const message = `these arguments do not fit '${name}': ${accepted.mistake}`;
      return [mistake([...at, index, 'arguments'], message, 'Correct them.')];
    }
    const members = Object.entries<CellValue>(args).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const key = stringifyJson(Object.fromEntries(members));
    if (!known.has(key)) {
      known.add(key);
      return [];
    }
    const message = 'there are two entries with these arguments.';
    return [mistake([...at, index, 'arguments'], message, 'Remove one.')];
  });
}

/** References that would lead astray once the schema is part of another. */
function refersElsewhere(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('$ref' in part && typeof part.$ref === 'string' && !/^#\/(?:\$defs|definitions)\//.test(part.$ref)) return true;
  return Object.values(part).some(refersElsewhere);
}
