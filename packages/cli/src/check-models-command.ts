import { Command } from 'commander';
import type { AliasCheck } from '@data-designer/engine';
import type { StageAliasCheck } from '@data-designer/workflow';
import { type CommonFlags, examples, withCommonFlags } from './flags/common-flags.ts';
import { withoutUse } from './flags/refuse-unused.ts';
import { drainOnSignals } from './signals.ts';
import { printJson } from './display/print-results.ts';

/** The check of an alias; in a workflow, with its stage. */
type Check = AliasCheck & Partial<Pick<StageAliasCheck, 'stage'>>;

/** `data-designer check-models SRC`: checks that every model and tool provider in use answers. */
export function checkModelsCommand(): Command {
  const command = withCommonFlags(
    new Command('check-models').description(
      'Check the models and tools that a config or a workflow uses: send a small request to each model, and list the tools.',
    ),
  );
  return withoutUse<CommonFlags>(command, ['seed', 'maxCost', 'maxDurationSeconds', 'prices', 'mediaRoot'])
    .addHelpText('after', examples('check-models facts.yaml', 'check-models flow.yaml'))
    .action(checkModels);
}

async function checkModels(source: string, flags: CommonFlags): Promise<void> {
  using interrupts = drainOnSignals();
  const checks = await checksOf(source, flags, interrupts.drain);
  const ready = checks.every(({ status }) => status !== 'failed');
  if (!ready) process.exitCode = 1;
  if (flags.json) printJson({ ready, checks });
  else process.stdout.write(print(source, checks));
}

/** The checks of a config, or of all stages of a workflow. */
async function checksOf(source: string, flags: CommonFlags, signal: AbortSignal): Promise<readonly Check[]> {
  const { DataDesigner } = await import('@data-designer/designer/data-designer');
  const { isFlow, readCommon, readConfig, readStageConfig } = await import('./flags/read-common-flags.ts');
  const declaration = await readConfig(source, flags);
  await using designer = new DataDesigner(readCommon(flags, declaration));
  if (!isFlow(declaration)) return await designer.checkModels(declaration, { signal });
  const { addStages, readFlow } = await import('@data-designer/workflow/flow-file');
  const flow = await readFlow(declaration, (path) => readStageConfig(path, flags));
  return await addStages(designer.composeWorkflow(flow.name), flow).checkModels({ signal });
}

function print(source: string, checks: readonly Check[]): string {
  if (checks.length === 0) return `${source} uses no models and no tools.\n`;
  return checks.map((check) => `${stageOf(check)}${check.kind} ${check.alias}: ${describeStatus(check)}\n`).join('');
}

function stageOf({ stage }: Check): string {
  return stage === undefined ? '' : `Stage '${stage}': `;
}

function describeStatus({ status, code, message, tools }: AliasCheck): string {
  if (status === 'ok') return tools === null ? 'ok' : `ok, with ${tools.join(', ')}`;
  return status === 'skipped' ? `skipped, ${message}` : `failed [${code}]: ${message}`;
}
