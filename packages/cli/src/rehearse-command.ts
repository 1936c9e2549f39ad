import { Command, InvalidArgumentError } from 'commander';
import {
  type CommonFlags,
  type DisplayFlags,
  examples,
  withCommonFlags,
  withDisplayFlags,
} from './flags/common-flags.ts';
import { above, atLeast, parseNumber } from './flags/parse-flags.ts';
import { drainOnSignals } from './signals.ts';
import { printJson } from './display/print-results.ts';
import { LATENCY_FORMS, MAX_ERROR_RATE, simulatorLatency } from '@data-designer/rehearsal';

interface RehearseFlags extends CommonFlags, DisplayFlags {
  readonly numRecords: number;
  readonly sample?: number;
  readonly latency?: string;
  readonly tokensPerSecond?: number;
  readonly errorRate?: number;
  readonly passRate?: number;
  readonly outputTokens?: number | 'max';
  readonly withTools: boolean;
}

const parseShare = parseNumber(
  (value) => value >= 0 && value <= MAX_ERROR_RATE,
  `a share from 0 to ${MAX_ERROR_RATE}: with more, the rehearsal mostly waits for retries`,
);

/** `data-designer rehearse SRC -n N`: estimates a run by running a sample with simulated models. */
export function rehearseCommand(): Command {
  const command = new Command('rehearse')
    .description('Estimate requests, tokens, cost and time of a run with simulated models. No key is needed.')
    .requiredOption(
      '-n, --num-records <n>',
      'Number of records of the real run; with a selection, of its candidates; in a workflow, of the stages without input',
      atLeast(1),
    )
    .option('--sample <n>', 'Number of records to make in the rehearsal (default: 200, at most all)', atLeast(1))
    .option(
      '--latency <ms>',
      'Latency of an answer: 200, uniform:100,300, or lognormal:200,0.5 with median and sigma (default: lognormal:1000,0.5)',
      parseLatency,
    )
    .option('--tokens-per-second <rate>', 'Output rate of a model after the latency (default: unlimited)', above(0))
    .option('--error-rate <share>', `Share of requests that fail, from 0 to ${MAX_ERROR_RATE} (default: 0)`, parseShare)
    .option(
      '--pass-rate <share>',
      "Share of attempts that 'until' accepts, from 0 to 1 (default: the share with simulated answers)",
      parseNumber((value) => value >= 0 && value <= 1, 'a share from 0 to 1'),
    )
    .option('--output-tokens <n>', "Output tokens of a text answer, or 'max' for max_tokens", parseTokens)
    .option('--with-tools', 'Call the real tools (default: offer the built-in tools only)', false);
  return withCommonFlags(withDisplayFlags(command))
    .addHelpText(
      'after',
      examples(
        'rehearse facts.yaml -n 100000',
        'rehearse facts.yaml -n 100000 --latency 800',
        'rehearse flow.yaml -n 5000',
      ),
    )
    .action(rehearse);
}

async function rehearse(source: string, flags: RehearseFlags): Promise<void> {
  const { DataDesigner } = await import('@data-designer/designer/data-designer');
  const { isFlow, readCommon, readConfig } = await import('./flags/read-common-flags.ts');
  const { printRehearsal } = await import('./display/print-rehearsal.ts');
  const { showRun } = await import('./progress/show-run.ts');
  const { numRecords, sample, latency, tokensPerSecond, errorRate, passRate, outputTokens, withTools } = flags;
  const declaration = await readConfig(source, flags);
  const rates = {
    numRecords,
    sampleRows: sample,
    latency,
    tokensPerSecond,
    errorRate,
    passRate,
    outputTokens,
    withTools,
  };
  if (isFlow(declaration)) {
    const { rehearseFlow } = await import('./flow/rehearse-flow.ts');
    return rehearseFlow(declaration, rates, flags);
  }
  const common = readCommon(flags, declaration);
  const designer = new DataDesigner({
    ...common,
    // The assumptions name the models without a price.
    onWarning: (warning) => {
      if (warning.type !== 'unknown_price') common.onWarning(warning);
    },
  });
  using interrupts = drainOnSignals();
  const rehearsal = await showRun({ ...flags, exits: interrupts.exits }, common.runConfig, (take) =>
    designer.rehearse(declaration, {
      ...rates,
      signal: interrupts.drain,
      // The sample's folder and its end say nothing about the real run.
      onEvent: (event) => event.type === 'progress' && take(event),
    }),
  );
  if (flags.json) printJson(rehearsal);
  else process.stdout.write(printRehearsal(rehearsal));
}

function parseLatency(text: string): string {
  if (simulatorLatency(text) !== undefined) return text;
  throw new InvalidArgumentError(`It must be ${LATENCY_FORMS}.`);
}

function parseTokens(text: string): number | 'max' {
  return text === 'max' ? text : atLeast(1)(text);
}
