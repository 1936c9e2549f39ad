import { type Command, Option } from 'commander';
import type { SampleRecordOptions } from '../../records/sample-record/record-display.ts';
import { atLeast } from './common-flags.ts';

/** How records are shown. */
export interface RecordFlags {
  readonly displayWidth?: number;
  readonly nonInteractive?: boolean;
}

/** Adds the options of commands that show records. */
export function withRecordFlags(command: Command): Command {
  return command
    .option('--display-width <n>', 'columns of the screen that are used, 40 or more (default: 110)', atLeast(40))
    .option('--non-interactive', 'print all records, also where somebody could browse');
}

/** Adds the look of pages. */
export function withTheme(command: Command): Command {
  return command.addOption(
    new Option('--theme <theme>', "of pages of records; as the reader's system says unless given").choices([
      'dark',
      'light',
    ]),
  );
}

/** What `RecordDisplay` is told by flags. */
export function shownAsTold({ displayWidth }: Pick<RecordFlags, 'displayWidth'>): SampleRecordOptions {
  return displayWidth === undefined ? {} : { displayWidth };
}
