import { Command, InvalidArgumentError } from 'commander';
import { type DisplayFlags, withDisplayFlags } from './flags/display-flags.ts';
import { above, atLeast, type CommonFlags, withCommonFlags } from './flags/common-flags.ts';
import { interruptSignals } from './signals.ts';
import { printJson } from './display/print-results.ts';
import { LATENCY_FORMS, MOST_ERRORS, simulatorLatency } from '../rehearsal/rehearsal-options.ts';

interface RehearseFlags extends CommonFlags, DisplayFlags {
  readonly numRecords: number;
  readonly sample?: number;
  readonly latency?: string;
  readonly tokensPerSecond?: number;
  readonly errorRate?: number;
  readonly outputTokens?: number | 'max';
  readonly withTools: boolean;
}

/** `data-designer rehearse SRC -n N`: foresees a run, with made-up models in place of all that it would ask. */
export function rehearseCommand(): Command {
  const about = 'Foresee requests, tokens, cost and time of a run; no model is asked and no key is needed.';
  return withDisplayFlags(withCommonFlags(new Command('rehearse').description(about)))
    .requiredOption('-n, --num-records <n>', 'rows of the real run', atLeast(1))
    .option('--sample <k>', 'rows to carry out; default 200, or all where there are fewer', atLeast(1))
    .option(
      '--latency <ms>',
      'of an answer: 200, uniform:100,300 or lognormal:200,0.5 (median, sigma); default lognormal:1000,0.5',
      latencyForm,
    )
    .option('--tokens-per-second <r>', 'how fast models write, beyond that', above(0))
    .option('--error-rate <p>', `share of requests that fail, up to ${MOST_ERRORS}`, share)
    .option('--output-tokens <n>', "tokens of an answer of plain text, or 'max' for max_tokens", length)
    .option('--with-tools', 'call the real tools; otherwise models are told of the built-in ones only', false)
    .action(rehearse);
}

async function rehearse(source: string, flags: RehearseFlags): Promise<void> {
  const { DataDesigner } = await import('../data-designer.ts');
  const { readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const { printRehearsal } = await import('./display/print-rehearsal.ts');
  const { showRun } = await import('./display/show-run.ts');
  const { numRecords, sample, latency, tokensPerSecond, errorRate, outputTokens, withTools } = flags;
  const declaration = await readConfig(source, flags);
  const common = readCommon(flags);
  const designer = new DataDesigner(common);
  using interrupts = interruptSignals();
  const rates = { numRecords, sampleRows: sample, latency, tokensPerSecond, errorRate, outputTokens, withTools };
  const rehearsal = await showRun(flags, common.runConfig, (take) =>
    designer.rehearse(declaration, {
      ...rates,
      signal: interrupts.drain,
      // Where the sample is kept, and what ends in it, is nothing of the real run.
      onEvent: (event) => event.type === 'progress' && take(event),
    }),
  );
  if (flags.json) printJson(rehearsal);
  else process.stdout.write(printRehearsal(rehearsal));
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= MOST_ERRORS) return value;
  throw new InvalidArgumentError(
    `It must be a share from 0 to ${MOST_ERRORS}: with more, a sample does little but wait to try again.`,
  );
}

function latencyForm(text: string): string {
  if (simulatorLatency(text) !== undefined) return text;
  throw new InvalidArgumentError(`It must be ${LATENCY_FORMS}.`);
}

function length(text: string): number | 'max' {
  return text === 'max' ? text : atLeast(1)(text);
}
