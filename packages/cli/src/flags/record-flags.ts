import { type Command, Option } from 'commander';
import { atLeast, withChoices } from './parse-flags.ts';

/** The options that say how records are shown. */
export interface RecordFlags {
  readonly displayWidth?: number;
  readonly nonInteractive?: boolean;
}

/** Adds the options of commands that show records. */
export function withRecordFlags(command: Command): Command {
  return command
    .option('--display-width <n>', 'Width of the text in terminal columns, 40 or more (default: 110)', atLeast(40))
    .option('--non-interactive', 'Print all records instead of browsing them');
}

/** Adds the colour theme of pages. */
export function withTheme(command: Command): Command {
  return command.addOption(
    withChoices(new Option('--theme <theme>', "Colour theme of HTML pages (default: the reader's system setting)"), [
      'dark',
      'light',
    ]),
  );
}
