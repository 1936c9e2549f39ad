import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyJson } from '@data-designer/core';
import { readDataset } from '@data-designer/dataset';
import type { RunningSimulator } from '@data-designer/simulator';
import { ChaosDataset, MAX_IN_FLIGHT, type MadeDataset } from '../../../bench/src/chaos/chaos-dataset.ts';
import { startCommand } from '../../../bench/src/chaos/start-command.ts';

const SHAPE = { rows: 48, group: 6 };

/** A config with the model of all stages. */
function configOf(...columns: readonly object[]): object {
  const inference_parameters = { max_parallel_requests: MAX_IN_FLIGHT };
  return {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'counted', inference_parameters }],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools'] }],
    columns,
  };
}

function text(name: string, prompt: string): object {
  return { name, column_type: 'llm-text', model_alias: 'writer', prompt };
}

const ID = { name: 'id', column_type: 'sampler', sampler_type: 'uuid', params: {} };

/** Two branches, one with tools and traces, that are joined again. */
const STAGES = [
  { name: 'topics', config: configOf(ID, text('topic', 'Name {{ id }}')) },
  {
    name: 'left',
    config: configOf({
      ...text('l', 'Left of {{ id }}, {{ topic }}: a fact, with the tool get_fact.'),
      tool_alias: 'facts',
      with_trace: true,
    }),
  },
  { name: 'right', from: 'topics', config: configOf(text('r', 'Right of {{ id }}, {{ topic }}')) },
  {
    name: 'both',
    from: ['left', 'right'],
    join: { by: 'id' },
    config: configOf(text('both', '{{ l }} and {{ r }} of {{ id }}')),
  },
];

/** The folder of a workflow of the chaos runs. */
export class ChaosWorkflow extends ChaosDataset {
  constructor(folder: string, endpoint: string) {
    super(folder, endpoint, SHAPE);
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ name: 'made', stages: STAGES }));
  }

  /** A workflow that was killed before its first record goes on in its folder too. */
  override commandWith(providers: string): readonly string[] {
    const command = super.commandWith(providers);
    const isRecorded = existsSync(join(this.path, 'workflow-metadata.json'));
    return isRecorded ? command : command.map((word) => (word === 'always' ? 'if_possible' : word));
  }

  /** The rows of all stages in order, each as JSON text after the name of its stage. */
  override async rows(): Promise<readonly string[]> {
    const rows: string[] = [];
    const stages = readdirSync(this.path).filter((name) => name.startsWith('stage-'));
    for (const stage of stages.toSorted())
      for await (const row of readDataset(join(this.path, stage))) rows.push(`${stage} ${stringifyJson(row)}`);
    return rows;
  }
}

/** Makes the workflow that others are compared with. */
export async function makeUndisturbedWorkflow(
  workflow: ChaosWorkflow,
  simulator: RunningSimulator,
): Promise<MadeDataset & { readonly answers: number }> {
  await fetch(`${simulator.origin}/stats/reset`, { method: 'POST' });
  const run = startCommand(workflow.command);
  const { code, stderr } = await run.finished;
  if (code !== 0) throw new Error(`the undisturbed workflow ended with code ${code}: ${stderr}`);
  const { answers } = await simulator.stats();
  return { rows: await workflow.rows(), files: workflow.files(), answers };
}
