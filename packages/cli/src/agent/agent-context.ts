import { join } from 'node:path';
import { loadPlugins } from '@data-designer/columns';
import { configJsonSchema, readHome } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { packageFolder, packageVersion, pluginAddress } from '@data-designer/declaration';
import { docsFolder } from '../display/docs-pages.ts';
import { type ModelAliasState, modelAliasStates, type PersonaState, personaState } from './local-state.ts';
import { FAMILY_NAMES, type KnownType, typeFamilies, type TypeFamily } from '@data-designer/designer';

/** A command of the command line. */
export interface KnownCommand {
  /** The command with its arguments. */
  readonly command: string;
  readonly description: string;
}

/** The files of the installed package that describe configs. */
export interface PackageFiles {
  /** The folder of the package. */
  readonly root: string;
  /** The JSON Schema of configs. */
  readonly schema: string;
  /** The TypeScript types of the API. */
  readonly types: string;
  /** The folder of the recipes, in YAML and TypeScript. */
  readonly recipes: string;
  /** The folder of the guide and the reference, as Markdown. */
  readonly docs: string;
}

/** What an agent can use on this machine. */
export interface LocalState {
  readonly modelAliases: readonly ModelAliasState[];
  readonly personaDatasets: PersonaState;
}

/** Everything that an agent needs to know before it writes a config. */
export interface AgentContext {
  readonly version: string;
  readonly files: PackageFiles;
  /** The types without their JSON Schemas, which `agent types --json` prints. */
  readonly families: readonly (Omit<TypeFamily, 'types'> & { readonly types: readonly Omit<KnownType, 'schema'>[] })[];
  readonly state: LocalState;
  readonly commands: readonly KnownCommand[];
}

/** The files of the installed package. */
export function packageFiles(): PackageFiles {
  const root = packageFolder();
  return {
    root,
    schema: join(root, 'dist', 'schema.json'),
    types: join(root, 'dist', 'index.d.ts'),
    recipes: join(root, 'dist', 'recipes'),
    docs: docsFolder(),
  };
}

/** The families of types with those of plug-ins; throws `plugin/unusable`. */
export async function loadFamilies(plugins: readonly string[]): Promise<readonly TypeFamily[]> {
  const { types, shell } = await loadPlugins(plugins.map(pluginAddress));
  return typeFamilies(configJsonSchema(types, { declaration: shell }));
}

/** The family of a name in any case, with or without its final s, or all; throws `agent/unknown-family`. */
export function chooseFamilies(families: readonly TypeFamily[], name: string | undefined): readonly TypeFamily[] {
  if (name === undefined) return families;
  const wanted = name.trim().toLowerCase();
  const chosen = families.filter(({ family }) => family === wanted || family === `${wanted}s`);
  if (chosen.length === 0) throw new DataDesignerError('agent/unknown-family', { name, known: FAMILY_NAMES });
  return chosen;
}

/** The state of this machine, and the warnings about the home folder; throws for a home folder with mistakes. */
export function readLocalState(): { readonly state: LocalState; readonly warnings: readonly string[] } {
  const home = readHome();
  const state = { modelAliases: modelAliasStates(home, process.env), personaDatasets: personaState(home) };
  return { state, warnings: home.warnings };
}

/** The context of an agent. */
export function agentContext(
  families: readonly TypeFamily[],
  state: LocalState,
  commands: readonly KnownCommand[],
): AgentContext {
  const named = families.map(({ types, ...family }) => ({
    ...family,
    types: types.map(({ schema: _, ...type }) => type),
  }));
  return { version: packageVersion(), files: packageFiles(), families: named, state, commands };
}
