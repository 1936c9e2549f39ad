import { DataDesignerError, fieldsOf, messageOf, stringOf } from '@data-designer/core';
import { loadPluginCommand } from '@data-designer/columns';
import { exportedPaths, installedPackage, pluginAddress } from '@data-designer/declaration';
import { incompatibilities } from './compatibility.ts';

/** A command that an installed package lists. */
interface CalledCommand {
  readonly name: string;
  readonly package: string;
  /** The folder of the project. */
  readonly folder: string;
}

/** Runs a command of an installed package with the arguments after its name, and returns its exit code. Throws `plugin/unusable`. */
export async function runPluginCommand(
  { name, package: owner, folder }: CalledCommand,
  args: readonly string[],
): Promise<number> {
  const { manifest = {} } = installedPackage(owner, folder) ?? {};
  const node = stringOf(fieldsOf(manifest['engines'])['node']) ?? '*';
  const dataDesigner = stringOf(fieldsOf(manifest['peerDependencies'])['data-designer']) ?? '*';
  const [mismatch] = incompatibilities({ compatibility: { node, dataDesigner } });
  if (mismatch !== undefined) throw unusable(owner, mismatch);
  for (const path of exportedPaths(manifest['exports'])) {
    const command = await loadPluginCommand(pluginAddress(`${owner}${path.slice(1)}`), name);
    if (!command) continue;
    if (args.some((one) => one === '--help' || one === '-h')) {
      const { description, help = '' } = command;
      process.stdout.write(`Usage: data-designer ${name} ${help}`.trimEnd() + `\n\n${description}\n`);
      return 0;
    }
    try {
      return (await command.run(args)) ?? 0;
    } catch (thrown) {
      if (thrown instanceof DataDesignerError) throw thrown;
      throw unusable(owner, `its command '${name}' failed: ${messageOf(thrown)}`);
    }
  }
  throw unusable(owner, `its package.json lists the command '${name}', but no module of it has the command`);
}

function unusable(module: string, reason: string): DataDesignerError {
  return new DataDesignerError('plugin/unusable', { module, reason: reason.replace(/\.$/, '') });
}
