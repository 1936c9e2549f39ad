import type { Command } from 'commander';
import { agentCommand } from './agent-command.ts';
import { checkCommand } from './check-command.ts';
import { checkModelsCommand } from './check-models-command.ts';
import { cleanCommand } from './clean-command.ts';
import { configCommand } from './config-command.ts';
import { createCommand } from './create-command.ts';
import { docsCommand } from './docs-command.ts';
import { downloadCommand } from './download-command.ts';
import { exportCommand } from './export-command.ts';
import { initCommand } from './init-command.ts';
import { joinCommand } from './join-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { pluginCommand } from './plugin-command.ts';
import { addPluginCommands } from './plugin-packages/plugin-commands.ts';
import { previewCommand } from './preview-command.ts';
import { pushCommand } from './push-command.ts';
import { rehearseCommand } from './rehearse-command.ts';
import { reportCommand } from './report-command.ts';
import { selectCommand } from './select-command.ts';
import { showCommand } from './show-command.ts';
import { validateCommand } from './validate-command.ts';
import { viewCommand } from './view-command.ts';
import { programOf } from './program.ts';

/** The program with all its commands; those of plug-ins too, unless the name is that of one of ours. */
export function programWithPlugins(name: string): Command {
  const program = createProgram();
  if (!program.commands.some((command) => command.name() === name)) addPluginCommands(program);
  return program;
}

/** The program with all its commands, in the order of the help. */
export function createProgram(): Command {
  return programOf([
    initCommand(),
    previewCommand(),
    createCommand(),
    joinCommand(),
    viewCommand(),
    showCommand(),
    reportCommand(),
    exportCommand(),
    selectCommand(),
    cleanCommand(),
    pushCommand(),
    checkCommand(),
    validateCommand(),
    checkModelsCommand(),
    rehearseCommand(),
    configCommand(),
    downloadCommand(),
    pluginCommand(),
    mcpCommand(),
    agentCommand(),
    docsCommand(),
  ]);
}
