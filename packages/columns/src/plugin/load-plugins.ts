import { ColumnRegistry } from '@data-designer/config';
import { columnTypes } from '../column-types.ts';
import type { PluginCommand, PluginTypes } from './plugin.ts';

/** The built-in types and those of plug-in modules; throws `plugin/unusable` for an unusable or conflicting one. */
export async function loadPlugins(addresses: readonly string[]): Promise<ColumnRegistry> {
  if (addresses.length === 0) return new ColumnRegistry(columnTypes);
  const { registryWith } = await import('./registry-with.ts');
  return registryWith(addresses);
}

/** The types that one plug-in module adds; throws `plugin/unusable` as `loadPlugins` does. */
export async function loadPluginTypes(address: string): Promise<PluginTypes> {
  const { typesOfPlugin } = await import('./registry-with.ts');
  return typesOfPlugin(address);
}

/** A command of a plug-in module; undefined if the module has no such command. Throws `plugin/unusable`. */
export async function loadPluginCommand(address: string, name: string): Promise<PluginCommand | undefined> {
  const { commandOfPlugin } = await import('./registry-with.ts');
  return commandOfPlugin(address, name);
}
