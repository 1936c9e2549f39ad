import { textTable } from '@data-designer/printing';
import type { AgentContext, KnownCommand, LocalState, PackageFiles } from './agent-context.ts';
import type { KnownType, TypeFamily } from '@data-designer/designer';

/** The package of programs. */
const PACKAGE = 'data-designer';

/** A family of types as far as text shows it. */
type ShownFamily = Omit<TypeFamily, 'types'> & { readonly types: readonly Omit<KnownType, 'schema'>[] };

/** The context as text. */
export function printAgentContext({ version, files, families, state, commands }: AgentContext): string {
  return [
    `Data Designer v${version}`,
    `## Config Module\n\nThese files describe every key of a config. Do not search other files of the package.\n${printFiles(files)}`,
    `## Types\n\n${families.map(printFamily).join('\n\n')}`,
    `## Model Aliases\n\n${printUsable(state)}`,
    `## Persona Datasets\n\n${printPersonaDatasets(state)}`,
    `## Commands\n\n${printCommands(commands)}`,
  ].join('\n\n');
}

/** Families of types as text, after the folder that their files refer to. */
export function printTypes(families: readonly ShownFamily[], { root }: PackageFiles): string {
  return [`package_root: ${root}`, ...families.map(printFamily)].join('\n\n');
}

/** Parts of the local state as text, with titles if there are several. */
export function printState(state: Partial<LocalState>): string {
  const { modelAliases, personaDatasets } = state;
  const parts: (readonly [title: string, text: string])[] = [];
  if (modelAliases) parts.push(['Model Aliases', printModelAliases({ modelAliases })]);
  if (personaDatasets) parts.push(['Persona Datasets', printPersonaDatasets({ personaDatasets })]);
  return parts.map(([title, text]) => (parts.length === 1 ? text : `## ${title}\n\n${text}`)).join('\n\n');
}

function printFiles({ root }: PackageFiles): string {
  return [
    `package_root: ${root}`,
    '',
    'schema: {package_root}/dist/schema.json (JSON Schema of YAML and JSON configs, with built-in types only)',
    'builder: {package_root}/dist/index.d.ts (class DataDesignerConfigBuilder; keys are in camelCase there)',
    'recipes: {package_root}/dist/recipes (configs to start from; data-designer init --list describes them)',
    'docs: {package_root}/dist/docs (guide and reference as Markdown; data-designer docs lists the pages)',
    `Programs import from the package: import { DataDesigner, DataDesignerConfigBuilder } from '${PACKAGE}'`,
    'JSON Schemas of single types, plug-ins included: data-designer agent types [family] --json',
  ].join('\n');
}

function printFamily({ family, key, pointer, method, use, types }: ShownFamily): string {
  const keys = types.map(({ required, optional }) => [...required, ...optional.map((one) => `${one}?`)]);
  const shared = types.length < 2 ? [] : (keys[0] ?? []).filter((one) => keys.every((other) => other.includes(one)));
  const rows = types.map(({ type, description }, index) => {
    const own = (keys[index] ?? []).filter((one) => !shared.includes(one));
    return own.length === 0 ? [type, description] : [type, description, own.join(', ')];
  });
  const head = ['type', 'description', ...(rows.some((row) => row.length > 2) ? ['keys'] : [])];
  return [
    `### ${family}`,
    `file: {package_root}/dist/schema.json (${pointer})`,
    `file: {package_root}/dist/index.d.ts (DataDesignerConfigBuilder.${method})`,
    `chosen by: ${key}`,
    ...(use === undefined ? [] : [`use: ${use}`]),
    ...(shared.length === 0 ? [] : [`keys of every type (? = optional): ${shared.join(', ')}`]),
    '',
    printTable(head, rows),
  ].join('\n');
}

function printUsable({ modelAliases }: LocalState): string {
  const usable = modelAliases.filter((state) => state.usable);
  const table = printTable(
    ['model_alias', 'model', 'generation_type', 'provider'],
    usable.map(({ alias, model, generationType, provider }) => [alias, model, generationType, provider]),
  );
  return `${usable.length === 0 ? NO_MODEL : table}\n\n${SIMULATOR}`;
}

const SIMULATOR =
  'To try a config without a key, give it a model of the built-in simulator, which makes up its answers: { alias: writer, model: sim-small, provider: simulator }.';

const NO_MODEL =
  'No usable model aliases. Tell the user to set the API key of a provider, or to configure models with `data-designer config providers` and `data-designer config models`. `data-designer agent state model-aliases` lists what is missing.';

function printModelAliases({ modelAliases }: Pick<LocalState, 'modelAliases'>): string {
  return printTable(
    ['model_alias', 'model', 'generation_type', 'provider', 'usable', 'reason'],
    modelAliases.map(({ alias, model, generationType, provider, usable, reason }) => [
      alias,
      model,
      generationType,
      provider,
      printClaim(usable),
      reason ?? '',
    ]),
  );
}

function printPersonaDatasets({ personaDatasets }: Pick<LocalState, 'personaDatasets'>): string {
  return printTable(
    ['locale', 'size', 'installed'],
    personaDatasets.datasets.map(({ locale, sizeGb, installed }) => [
      locale,
      `${sizeGb.toFixed(2)} GB`,
      printClaim(installed),
    ]),
  );
}

function printCommands(commands: readonly KnownCommand[]): string {
  return printTable(
    ['command_pattern', 'description'],
    commands.map(({ command, description }) => [command, description]),
  );
}

/** A claim as the Python tool prints it. */
function printClaim(claim: boolean): string {
  return claim ? 'True' : 'False';
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '(no items)' : textTable([head, ...rows], { isRuled: true }).join('\n');
}
