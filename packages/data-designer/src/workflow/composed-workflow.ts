import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import { checkDatasetName } from '@data-designer/dataset';
import type { Declared } from '../declaration/declaration.ts';
import { invalidWorkflow } from './invalid-workflow.ts';
import type { CompositeWorkflowResults } from './composite-workflow-results.ts';
import type { StageMaker } from './stage-maker.ts';
import type { InputRow, Stage, StageConfig, StageOptions, StageRow, WorkflowRunOptions } from './stage.ts';
import type { StageReport } from './check-workflow.ts';

const { any, list, mapping, rows, text } = optionRule;
const STAGE_RULES: OptionRules<StageOptions> = {
  rows,
  expand: text,
  group: { ...mapping, within: { by: { ...any, required: true }, collect: { ...list, required: true } } },
};

/** Stages that seed each other. `addStage` returns the workflow with the row type of the new stage. */
export class ComposedWorkflow<Row = Record<string, unknown>> {
  /** The name of the workflow and of its folder. */
  readonly name: string;
  readonly #maker: StageMaker;
  readonly #stages: Stage[] = [];

  constructor(name: string, maker: StageMaker) {
    checkDatasetName(name);
    this.name = name;
    this.#maker = maker;
  }

  /**
   * Adds a stage whose seed is the output of the one before. The config is a builder, or a function that receives that
   * output; the function runs once the stage before has been compiled. Throws `config/invalid` and `workflow/invalid`.
   */
  addStage<D extends Declared, const Options extends StageOptions = StageOptions>(
    name: string,
    config: StageConfig<InputRow<Row, Options>, D>,
    options?: Options,
  ): ComposedWorkflow<StageRow<D>> {
    const given: StageOptions = options ?? {};
    checkOptions(given, STAGE_RULES, 'addStage()');
    checkDatasetName(name);
    const at = { workflow: this.name, stage: name };
    if (this.#stages.some((stage) => stage.name === name)) throw invalidWorkflow(at, 'another stage has this name');
    const previous = this.#stages.at(-1);
    if (given.expand !== undefined && given.group) throw invalidWorkflow(at, 'it has both expand and group');
    if (!previous && (given.expand !== undefined || given.group))
      throw invalidWorkflow(at, 'the first stage has no input to expand or group');
    const index = this.#stages.length;
    const folder = `stage-${index}-${name}`;
    const dependsOn = previous ? [previous.name] : [];
    this.#stages.push({ name, config, options: given, index, dependsOn, folder });
    return this as unknown as ComposedWorkflow<StageRow<D>>;
  }

  /** Checks all stages without sending a request: the columns of each are known from the plan of the one before. */
  async check(options: Pick<WorkflowRunOptions, 'numRecords'> = {}): Promise<readonly StageReport[]> {
    const { checkWorkflow } = await import('./check-workflow.ts');
    return checkWorkflow({ name: this.name, stages: this.#stages, maker: this.#maker }, options);
  }

  /**
   * Makes the stages in order, in `<artifactPath>/<name>/stage-<i>-<stage>`, after all of them are checked. Rejects with
   * `config/invalid`, `workflow/*`, or the failure that ended a stage; a stage that ends at a limit of its own ends the
   * workflow, which resolves.
   */
  async run(options: WorkflowRunOptions = {}): Promise<CompositeWorkflowResults<Row>> {
    const { runWorkflow } = await import('./run-workflow.ts');
    return runWorkflow({ name: this.name, stages: this.#stages, maker: this.#maker }, options);
  }
}
