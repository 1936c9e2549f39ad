import { knownNames } from '../violation.ts';
import { afterEnd, closeSentence, type Failure, type ForAll, permanent, recorded } from './failure.ts';

/** Lists row numbers (from 0) and says how many more there are. */
function printRows({ rows, more }: { readonly rows: readonly number[]; readonly more: number }): string {
  const named = `${rows.length + more === 1 ? 'row' : 'rows'} ${rows.join(', ')}`;
  return more === 0 ? named : `${named} and ${more} more`;
}

/** Errors of columns, functions, plug-ins and validators. */
export const columnErrors = {
  'attempts/exhausted': permanent(
    (d: { block: string; attempts: number; reason: string }) =>
      `None of ${d.attempts} attempts of '${d.block}' was accepted; the last one: ${closeSentence(d.reason)}`,
  ),
  'attempts/undecided': permanent(
    (d: { block: string; found: string }) =>
      `'until' of '${d.block}' gives ${JSON.stringify(d.found.length > 80 ? `${d.found.slice(0, 80)}…` : d.found)}, which is neither true nor false. Compare it, as in until: verdict == 'yes'.`,
  ),
  'environment/invalid': permanent(
    (d: { environment: string; reason: string }) => `Environment '${d.environment}': ${closeSentence(d.reason)}`,
  ),
  'environment/not-opened': permanent(
    (d: { environment: string; reason: string }) =>
      `The environment '${d.environment}' of this row cannot be opened: ${closeSentence(d.reason)}`,
  ),
  'environment/not-repeatable': permanent(
    (d: { environment: string; tool: string; call: number; before: string; now: string }) =>
      `The tool '${d.tool}' of the environment '${d.environment}' gave another result on a resume (call ${d.call}): ${d.before} before, ${d.now} now. The result of a tool may depend only on the row, its arguments, the earlier calls and the given seed. It must not depend on a clock, random numbers or data outside of the row.`,
  ),
  'environment/no-snapshot': permanent(
    (d: { environment: string; reason: string }) =>
      `The state of the environment '${d.environment}' cannot be stored: ${closeSentence(d.reason)}`,
  ),
  'environment/too-many-requests': permanent(
    (d: { environment: string; tool: string; call: number; most: number }) =>
      `The tool '${d.tool}' of the environment '${d.environment}' sends too many requests to a model (call ${d.call}): one tool call may send at most ${d.most}.`,
  ),
  'execution/invalid': permanent(
    (d: { reason: string }) => `The program of this row cannot be checked: ${closeSentence(d.reason)}`,
  ),
  'execution/lost': recorded(
    (d: { engine: string; reason: string }) =>
      `The ${d.engine} sandbox ended while it ran the program of this row: ${closeSentence(d.reason)}`,
  ),
  'execution/unusable': permanent(
    (d: { engine: string; reason: string } & ForAll) =>
      `Programs cannot be run with ${d.engine}: ${closeSentence(d.reason)}`,
  ),
  'column/constraint-unmet': permanent(
    (d: { column: string; constraint: string; rows: readonly number[]; more: number; nearest: string }) =>
      `Column '${d.column}': no drawn value satisfies ${d.constraint} in ${printRows(d)}. The nearest value is ${d.nearest}. Change the constraint or the parameters.`,
  ),
  'column/not-converted': permanent(
    (d: { column: string; value: string; type: string; rows: readonly number[]; more: number }) =>
      `Column '${d.column}': the value ${d.value} cannot be converted to '${d.type}' in ${printRows(d)}. Change 'convert_to' or the values.`,
  ),
  'answer/pattern-timed-out': recorded(
    (d: { pattern: string; limitMs: number }) =>
      `The schema's pattern '${d.pattern.length > 200 ? `${d.pattern.slice(0, 200)}…` : d.pattern}' took longer than ${d.limitMs} ms on one text. Rewrite the pattern without lookarounds and backreferences, or remove it from the schema.`,
  ),
  'column/bad-media': permanent(
    (d: { column: string; modality: string; reason: string }) =>
      `The value of column '${d.column}' cannot be sent to a model as ${d.modality}: ${d.reason}.`,
  ),
  'column/no-text': permanent(
    (d: { column: string; found: string }) => `Column '${d.column}' has no text to embed: the cell is ${d.found}.`,
  ),
  'column/bad-history': permanent(
    (d: {
      column: string;
      /** The index of the message, from 0; undefined if the whole list is wrong. */
      message: number | undefined;
      reason: string;
    }) =>
      `The history '${d.column}' cannot be sent to a model: ${d.message === undefined ? '' : `message ${d.message} (from 0) is unusable: `}${closeSentence(d.reason)} Correct the messages.`,
  ),
  'column/bad-tools': permanent(
    (d: { column: string; found: string }) =>
      `Column '${d.column}': 'allow_tools' gives ${d.found}. It must give a list of tool names, or such a list as JSON text.`,
  ),
  'column/bad-schema': permanent(
    (d: { column: string; reason: string }) =>
      `Column '${d.column}': 'output_format' gives no schema for this row: ${closeSentence(d.reason)} It must give a JSON Schema as an object or as JSON text.`,
  ),
  'answer/schema-timed-out': recorded(
    (d: { column: string; limitMs: number }) =>
      `Column '${d.column}': the schema that 'output_format' gives this row took longer than ${d.limitMs} ms to check. Simplify the schema: its references or conditions multiply.`,
  ),
  'column/undecided-skip': permanent(
    ({ reason }: { reason: string }) =>
      `'skip.when' cannot be decided: ${reason.replace(/\.$/, '')}. The cell was skipped. Test the value first, as in {{ score is none or score < 3 }}.`,
  ),
  'column/bad-turns': permanent(
    (d: { column: string; found: string; most: number }) =>
      `The number of turns of column '${d.column}' must be a whole number from 1 to ${d.most}, but is ${d.found}.`,
  ),
  'column/bad-result': permanent(
    (d: { column: string; reason: string }) =>
      `The function of column '${d.column}' returned an unusable result: ${closeSentence(d.reason)}`,
  ),
  'function/threw': permanent(
    (d: { function: string; reason: string }) =>
      `The function ${d.function} threw: ${closeSentence(d.reason)} Correct the function.`,
  ),
  'function/bad-value': permanent(
    (d: { function: string; at: string; found: string }) =>
      `The function ${d.function} returned a value that a dataset cannot store: ${d.at} is ${d.found}. Return text, numbers, booleans, null, lists or plain objects.`,
  ),
  'function/unavailable': permanent(
    (d: { function: string; reason: string }) => `The function ${d.function} cannot be called: ${d.reason}.`,
  ),
  'plugin/unusable': permanent(
    (d: { module: string; reason: string }) =>
      `The plug-in ${d.module} cannot be used: ${closeSentence(d.reason)} Correct its name or the plug-in.`,
  ),
  'plugin/threw': permanent(
    (d: { module: string; column: string; reason: string }) =>
      `The plug-in ${d.module} threw for column '${d.column}': ${closeSentence(d.reason)} Correct the plug-in.`,
  ),
  'plugin/unknown-catalog': permanent((d: { alias: string; known: readonly string[] }) => {
    const remedy = d.known.length === 0 ? 'The home folder has none.' : knownNames(d.alias, d.known);
    return `There is no catalog '${d.alias}'. ${remedy} Add one with: data-designer plugin catalog add <alias> <source>.`;
  }),
  'plugin/unknown-package': permanent(
    (d: { name: string; remedy: string }) => `No catalog lists the package '${d.name}'. ${d.remedy}`,
  ),
  'plugin/ambiguous-package': permanent(
    (d: { name: string; matches: readonly string[] }) =>
      `Several packages match '${d.name}': ${d.matches.join(', ')}. Give the whole name, and name the catalog with --catalog.`,
  ),
  'plugin/incompatible': permanent(
    (d: { package: string; reasons: readonly string[] }) =>
      `The package ${d.package} does not work here: ${d.reasons.join('; ')}. Nothing was installed. Update the program that is too old, or install an older version of the package: ${d.package}@<version>.`,
  ),
  'plugin/no-project': permanent(
    (d: { folder: string }) =>
      `There is no package.json in ${d.folder} or above it. Change to the folder of your project, or create one with: npm init -y.`,
  ),
  'plugin/no-manager': permanent(
    (d: { folder: string; reason: string }) =>
      `The package manager of ${d.folder} is unclear: ${d.reason}. Name one with --manager npm, pnpm or yarn.`,
  ),
  'plugin/manager-failed': permanent(
    (d: { command: string; folder: string; reason: string }) =>
      `${d.command} failed in ${d.folder}: ${d.reason}. Correct the cause and start the command again.`,
  ),
  'plugin/interrupted': permanent(
    (d: { command: string; folder: string; signal: 'SIGINT' | 'SIGTERM' }) =>
      `Interrupted while ${d.command} ran in ${d.folder}. Its changes may be incomplete; start the command again.`,
  ),
  'plugin/not-installed': permanent(
    (d: { name: string; folder: string; known: readonly string[] }) =>
      `The package '${d.name}' is not a dependency in ${d.folder}. ${d.known.length === 0 ? 'None of its dependencies says that it has plug-ins.' : knownNames(d.name, d.known)}`,
  ),
  'validator/failed': permanent(
    (d: { column: string; server: string; reason: string } & ForAll) =>
      `The validator of column '${d.column}' at ${d.server} cannot be reached: ${d.reason}.${d.forAll ? ` Check the address and that the server is running.${afterEnd(d, { saved: ' Finished answers are saved.', preview: '' })}` : ''}`,
  ),
  'validator/bad-answer': permanent(
    (d: { column: string; server: string; reason: string } & ForAll) =>
      `The validator of column '${d.column}' at ${d.server} returned an unusable answer: ${d.reason}.${d.forAll ? ' All its answers were unusable: correct the validator and resume.' : ''}`,
  ),
} as const satisfies Record<string, Failure<never>>;
