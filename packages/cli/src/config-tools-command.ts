import { type Command, Option } from 'commander';
import { type ChangeFlags, entryCommand } from './entry-command.ts';
import { above, atLeast, collect, withChoices } from './flags/parse-flags.ts';

interface ToolFlags extends ChangeFlags {
  readonly provider?: readonly string[];
  readonly allow?: readonly string[];
  readonly maxTurns?: number;
  readonly timeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly maxTotalTimeout?: number;
  readonly maxResultChars?: number;
  readonly structured?: string;
  readonly singleMachine?: boolean;
}

/** `data-designer config tools`: adds, changes and deletes tool configs of the home folder. */
export function toolConfigsCommand(): Command {
  return entryCommand<ToolFlags>({
    command: 'tools',
    file: 'toolConfigs',
    noun: 'tool config',
    addDescription: 'Check a tool config against the tools of its providers, and add it.',
    nameFlag: 'alias',
    nameDescription: 'Name of the tool config in columns',
    clearable: {
      allow: 'allowTools',
      'max-turns': 'maxToolCallTurns',
      timeout: 'timeoutSec',
      'reset-timeout-on-progress': 'resetTimeoutOnProgress',
      'max-total-timeout': 'maxTotalTimeoutSec',
      'max-result-chars': 'maxResultChars',
      structured: 'structured',
      'single-machine': 'singleMachine',
    },
    withFlags: (command) =>
      command
        .option('--provider <name>', 'MCP provider of its tools; repeatable', collect)
        .option('--allow <tool>', 'Tool that models may call; repeatable (default: all)', collect)
        .option('--max-turns <n>', 'Maximum turns with tool calls', atLeast(1))
        .option('--timeout <seconds>', 'Time limit of one call', above(0))
        .option('--reset-timeout-on-progress', 'Restart the time limit at each progress report')
        .option('--max-total-timeout <seconds>', 'Time limit of a call with progress reports', above(0))
        .option('--max-result-chars <n>', 'Maximum characters of a result that the model sees', atLeast(1))
        .addOption(
          withChoices(
            new Option(
              '--structured <use>',
              'Structured content of a result: prefer it to the text, or append it to the text',
            ),
            ['prefer', 'append'],
          ),
        )
        .option('--single-machine', 'Call the tools from one machine of a cluster only'),
    missing: ({ provider }) => (provider === undefined ? 'a tool config needs a --provider' : undefined),
    fieldsOf: ({ provider, allow, maxTurns, timeout, maxTotalTimeout, ...others }) => {
      const { resetTimeoutOnProgress, maxResultChars, structured, singleMachine } = others;
      const times = { timeoutSec: timeout, resetTimeoutOnProgress, maxTotalTimeoutSec: maxTotalTimeout };
      return {
        providers: provider,
        allowTools: allow,
        maxToolCallTurns: maxTurns,
        ...times,
        maxResultChars,
        structured,
        singleMachine,
      };
    },
    runWizard: async () => (await import('./wizards/tool-config-wizard.ts')).askToolConfigs(),
  });
}
