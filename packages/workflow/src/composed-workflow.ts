import { checkOptions, optionRule, type OptionRules } from '@data-designer/config';
import { checkDatasetName } from '@data-designer/dataset';
import type { Declared, StopOptions, ValidateOptions } from '@data-designer/declaration';
import type { RehearsalOptions } from '@data-designer/rehearsal';
import type { CompositeWorkflowResults } from './composite-workflow-results.ts';
import { inputRules } from './inputs/stage-inputs.ts';
import type { StageMaker } from './stage-maker.ts';
import type {
  DeclaredStage,
  InputRow,
  MapRows,
  OutputRow,
  StageConfig,
  StageInputOptions,
  StageOptions,
  StageRow,
  WorkflowRunOptions,
} from './stage.ts';
import type { StageAliasCheck } from './check-stage-models.ts';
import type { StageReport, WorkflowParts } from './check-workflow.ts';
import type { WorkflowRehearsal } from './workflow-rehearsal.ts';

const { any, callback, flag, mapping, rows } = optionRule;
const STAGE_RULES: OptionRules<StageOptions> = {
  rows,
  from: any,
  ...inputRules(),
  select: mapping,
  map: callback,
  outputFormat: any,
  allowEmpty: flag,
};

/** A workflow with one more stage. */
type NextWorkflow<D, Options, Stages, Name extends string> = ComposedWorkflow<
  OutputRow<StageRow<D>, Options>,
  Stages & { readonly [Key in Name]: OutputRow<StageRow<D>, Options> },
  StageRow<D>
>;

/** Stages that seed each other. `addStage` returns the workflow with the row type of the new stage. */
export class ComposedWorkflow<
  Row = Record<string, unknown>,
  Stages = Record<string, Record<string, unknown>>,
  OwnRow = Row,
> {
  /** The name of the workflow and of its folder. */
  readonly name: string;
  readonly #maker: StageMaker;
  readonly #stages: DeclaredStage[] = [];

  constructor(name: string, maker: StageMaker) {
    checkDatasetName(name);
    this.name = name;
    this.#maker = maker;
  }

  /**
   * Adds a stage whose seed is the output of the stages in `from`, or of the one before. The config is a builder, or a
   * function that receives that input; the function runs once the stages that it reads are compiled. Throws
   * `config/invalid`.
   */
  addStage<
    const Name extends string,
    D extends Declared,
    const Options extends StageInputOptions<keyof Stages & string> = StageInputOptions<keyof Stages & string>,
  >(
    name: Name,
    config: StageConfig<InputRow<Row, Stages, Options>, D>,
    options?: Options & { readonly map?: MapRows<StageRow<D>, OutputRow<StageRow<D>, Options>> },
  ): NextWorkflow<D, Options, Stages, Name> {
    const given: StageOptions = options ?? {};
    checkOptions(given, STAGE_RULES, 'addStage()');
    checkDatasetName(name);
    this.#stages.push({ name, config, options: given });
    return this as unknown as NextWorkflow<D, Options, Stages, Name>;
  }

  /** Checks all stages without sending a request: the columns of each are known from the plans of those that it reads. */
  async check(options: ValidateOptions = {}): Promise<readonly StageReport[]> {
    const { checkWorkflow } = await import('./check-workflow.ts');
    return checkWorkflow(await this.#parts(), options);
  }

  /**
   * Makes the stages in `<artifactPath>/<name>/stage-<i>-<stage>`, each after those that it reads, once all of them are
   * checked. Rejects with `config/invalid`, `workflow/*`, or the failure that ended a stage; if a stage ends at its own
   * limit, the workflow ends and the promise resolves.
   */
  async run(options: WorkflowRunOptions = {}): Promise<CompositeWorkflowResults<Row, OwnRow>> {
    const { runOrRejoin } = await import('./rejoin-workflow.ts');
    return runOrRejoin(await this.#parts(), options);
  }

  /**
   * Estimates requests, tokens, cost and time of each stage and of the whole workflow from a sample of each stage, made with
   * simulated models. `numRecords` are the rows of the stages without input. Throws `rehearsal/invalid-option`, and what
   * `check()` throws.
   */
  async rehearse(options: RehearsalOptions & StopOptions): Promise<WorkflowRehearsal> {
    const { rehearseWorkflow } = await import('./rehearse-workflow.ts');
    return rehearseWorkflow(await this.#parts(), options);
  }

  /**
   * Sends a small request to every model of every stage and lists their tools. Aliases that fail are returned with the
   * reason; throws what `check()` throws.
   */
  async checkModels(options: StopOptions = {}): Promise<readonly StageAliasCheck[]> {
    const { checkStageModels } = await import('./check-stage-models.ts');
    return checkStageModels(await this.#parts(), options);
  }

  async #parts(): Promise<WorkflowParts> {
    const { orderStages } = await import('./order-stages.ts');
    return { name: this.name, stages: orderStages(this.name, this.#stages), maker: this.#maker };
  }
}
