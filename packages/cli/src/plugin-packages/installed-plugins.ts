import { loadPluginTypes, NO_PLUGIN, type PluginTypes } from '@data-designer/columns';
import { fieldsOf, isFailure, messageOf, stringOf } from '@data-designer/core';
import { exportedPaths, installedPackage, pluginAddress } from '@data-designer/declaration';
import { PLUGIN_KINDS, type PluginKind } from './catalog.ts';
import { pluginSign, type Project } from './project.ts';

/** A type that a plug-in adds. */
export interface AddedType {
  readonly type: PluginKind;
  readonly name: string;
  /** The name that `--plugins` takes. */
  readonly entry: string;
}

/** An installed package with plug-ins. */
export interface InstalledPlugins {
  readonly package: string;
  readonly version: string | null;
  readonly plugins: readonly AddedType[];
  readonly failures: readonly UnusableModule[];
}

/** A module of a package that cannot be used as a plug-in. */
interface UnusableModule {
  readonly entry: string;
  readonly reason: string;
}

/** The packages with plug-ins among the dependencies of a project, with the types that they add when they are loaded. */
export async function installedPlugins(
  { folder, dependencies }: Project,
  ownCommands: ReadonlySet<string>,
): Promise<readonly InstalledPlugins[]> {
  const found: InstalledPlugins[] = [];
  for (const name of dependencies) {
    const { manifest = {} } = installedPackage(name, folder) ?? {};
    const sign = pluginSign(manifest);
    if (sign === undefined) continue;
    const loaded = await loadedPlugins(name, folder);
    const left = sign === 'peer' ? loaded.failures.filter(({ reason }) => reason !== NO_PLUGIN) : loaded.failures;
    const { commands } = fieldsOf(manifest['dataDesigner']);
    const taken = Object.keys(fieldsOf(commands)).filter((command) => ownCommands.has(command));
    const failures = [...left, ...taken.map((command) => takenCommand(name, command))];
    if (loaded.plugins.length + failures.length > 0) found.push({ ...loaded, failures });
  }
  return found;
}

/** Loads the plug-ins of a package: the given modules, or those that it exports. */
export async function loadedPlugins(
  name: string,
  folder: string,
  given?: readonly string[],
): Promise<InstalledPlugins> {
  const manifest = installedPackage(name, folder)?.manifest ?? {};
  const entries = given ?? exportedPaths(manifest['exports']).map((path) => `${name}${path.slice(1)}`);
  const plugins: AddedType[] = [];
  const failures: UnusableModule[] = [];
  for (const entry of new Set(entries)) {
    try {
      plugins.push(...addedTypes(await loadPluginTypes(pluginAddress(entry)), entry));
    } catch (thrown) {
      const reason = isFailure(thrown, 'plugin/unusable') ? thrown.data.reason : messageOf(thrown);
      failures.push({ entry, reason });
    }
  }
  return { package: name, version: stringOf(manifest['version']), plugins, failures };
}

function takenCommand(entry: string, command: string): UnusableModule {
  return { entry, reason: `its package.json lists the command '${command}', which data-designer has already` };
}

function addedTypes(types: PluginTypes, entry: string): readonly AddedType[] {
  return PLUGIN_KINDS.flatMap((type) => types[type].map((name) => ({ type, name, entry })));
}
