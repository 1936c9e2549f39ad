import { isMapping } from '@data-designer/config';
import { type ArrowField, DataDesignerError, field, isFailure, type Plan, type Violation } from '@data-designer/core';
import { TemporaryFolder } from '@data-designer/dataset';
import { type Declared, stopSignals } from '@data-designer/declaration';
import { inputsIn } from './inputs/stage-inputs.ts';
import { invalidWorkflow } from './invalid-workflow.ts';
import { outputFields } from './map-output.ts';
import type { CompiledStage, StageMaker } from './stage-maker.ts';
import {
  declareStage,
  type PlannedOutput,
  type PreparedInput,
  sampleInput,
  type WorkflowPlace,
} from './stage-input.ts';
import { originsOf } from './stage-output.ts';
import type { Stage } from './stage.ts';

/** The stages of a workflow in the order in which they are made, and what makes them. */
export interface WorkflowParts {
  readonly name: string;
  readonly stages: readonly Stage[];
  readonly maker: StageMaker;
}

/** A stage without mistakes. */
export interface StageReport {
  /** The name of the stage. */
  readonly stage: string;
  /** The columns of its output. */
  readonly columns: readonly string[];
  /** The models that its columns use, by alias. */
  readonly models: readonly string[];
  /** Warnings about its config. */
  readonly warnings: readonly Violation[];
}

/** What is known while the stages are checked one after another. */
interface Checking {
  readonly place: WorkflowPlace;
  readonly maker: StageMaker;
  readonly numRecords: number | undefined;
  readonly onPlan: (plan: Plan, skippedProbes: CompiledStage['skippedProbes']) => void;
  readonly outputs: Map<string, PlannedOutput>;
  /** The stages with mistakes, and those that depend on them: the types of their columns are not known. */
  readonly unsure: Set<string>;
}

/** How a workflow is checked. */
interface CheckWorkflowOptions {
  /** Rows of the stages without input; 10 if absent, but then no selection is checked for them. */
  readonly numRecords?: number | undefined;
  /** Called with the plan of each stage, and the models that are not probed. */
  readonly onPlan?: (plan: Plan, skippedProbes: CompiledStage['skippedProbes']) => void;
}

/**
 * Compiles the stages in order, each with a sample of the output that the plans of those before it describe. Sends no
 * request. Throws `config/invalid` with the mistakes of all stages, or `workflow/invalid` if there is only one of that kind.
 */
export async function checkWorkflow(
  { name: workflow, stages, maker }: WorkflowParts,
  { numRecords, onPlan = () => {} }: CheckWorkflowOptions = {},
): Promise<readonly StageReport[]> {
  if (stages.length === 0) throw invalidWorkflow({ workflow }, 'it has no stages');
  await using scratch = await TemporaryFolder.make();
  const place = { workflow, folder: scratch.path };
  const checking: Checking = { place, maker, numRecords, onPlan, outputs: new Map(), unsure: new Set() };
  const reports: StageReport[] = [];
  const failures: StageFailure[] = [];
  for (const stage of stages) {
    const made = await checkStage(stage, checking);
    if (made instanceof DataDesignerError) {
      if (isFailure(made, 'config/invalid') || isFailure(made, 'workflow/invalid'))
        failures.push({ stage, failure: made });
      else throw made;
    } else if (made) reports.push(made);
  }
  if (failures.length > 0) throw joined(workflow, failures);
  return reports;
}

/** Compiles one stage; returns its failure, and nothing for a stage that cannot be checked before another is mended. */
async function checkStage(stage: Stage, checking: Checking): Promise<StageReport | DataDesignerError | undefined> {
  const { place, maker, numRecords, onPlan, outputs, unsure } = checking;
  const isUnsure = stage.dependsOn.some((before) => unsure.has(before));
  if (isUnsure) unsure.add(stage.name);
  // The columns of a stage that was left out are not known either.
  if (isUnsure && !stage.dependsOn.every((before) => outputs.has(before))) return undefined;
  let declared: Declared | undefined;
  let input: PreparedInput | undefined;
  try {
    input = await sampleInput(stage, isUnsure ? assumedOutputs(outputs, stage) : outputs, place);
    // A function of the caller gets only columns that are known.
    if (isUnsure && typeof stage.config === 'function') return undefined;
    declared = await declareStage(stage, input, place);
    const warnings: Violation[] = [];
    const selectedRows = stage.options.rows ?? (input ? undefined : numRecords);
    const { plan, skippedProbes, aliases } = await maker.compile(declared, {
      rows: selectedRows ?? (input ? 1 : 10),
      selectedRows,
      signals: stopSignals({}),
      onWarning: (warning) => warnings.push(warning),
    });
    onPlan(plan, skippedProbes);
    const fields = outputFields(stage, plan.fields, place.workflow);
    const origins = stage.options.map
      ? new Map(fields.map(({ name }) => [name, stage.name]))
      : originsOf(stage.name, plan, input?.origins);
    outputs.set(stage.name, { stage: stage.name, fields, origins, aliases });
    const models = [...new Set(plan.columns.flatMap(({ requires }) => requires.models))];
    return { stage: stage.name, columns: fields.map((one) => one.name), models, warnings };
  } catch (thrown) {
    outputs.set(stage.name, guessedOutput(stage, declared, input));
    unsure.add(stage.name);
    const failure = DataDesignerError.fromUnknown(thrown);
    // Types of columns are not known, so that only the config itself counts.
    return isUnsure && isFailure(failure, 'workflow/invalid') ? undefined : failure;
  }
}

/** The output of a stage with mistakes: the columns that it names, as texts. */
function guessedOutput(
  { name: stage, config }: Stage,
  declared: Declared | undefined,
  input: PreparedInput | undefined,
): PlannedOutput {
  const document = declared?.document ?? (typeof config === 'function' ? undefined : config.document);
  const root = isMapping(document) && isMapping(document['data_designer']) ? document['data_designer'] : document;
  const columns = isMapping(root) && Array.isArray(root['columns']) ? (root['columns'] as readonly unknown[]) : [];
  const names = columns.flatMap((column) => (isMapping(column) ? String(column['name']) : []));
  const known = new Set(input?.fields.map((one) => one.name));
  const fields = [...(input?.fields ?? []), ...names.filter((one) => !known.has(one)).map((one) => field(one, 'utf8'))];
  return {
    stage,
    fields,
    origins: input?.origins ?? new Map(),
    aliases: input?.aliases ?? { modelConfigs: [], toolConfigs: [] },
  };
}

/** Guessed outputs whose columns are what the input of a stage needs them to be. */
function assumedOutputs(outputs: Checking['outputs'], { options }: Stage): Checking['outputs'] {
  const kinds = inputsIn(options);
  const assume = (one: ArrowField) => kinds.reduce((assumed, kind) => kind.assume(assumed), one);
  return new Map([...outputs].map(([name, output]) => [name, { ...output, fields: output.fields.map(assume) }]));
}

/** A stage with mistakes. */
interface StageFailure {
  readonly stage: Stage;
  readonly failure: DataDesignerError<'config/invalid'> | DataDesignerError<'workflow/invalid'>;
}

/** The failures of several stages as one. */
function joined(workflow: string, failures: readonly StageFailure[]): DataDesignerError {
  const [first, ...others] = failures;
  if (first && others.length === 0) return first.failure;
  const violations = failures.flatMap(({ stage: { name }, failure }): readonly Violation[] =>
    isFailure(failure, 'workflow/invalid')
      ? [{ ...STAGE_MISTAKE, path: `stage '${name}'`, message: `${failure.data.reason}.` }]
      : failure.data.violations.map((one) => ({
          ...one,
          path: `stage '${name}'${one.path === '' ? '' : `, ${one.path}`}`,
        })),
  );
  return new DataDesignerError('config/invalid', { source: `The workflow ${workflow}`, violations });
}

const STAGE_MISTAKE = { stage: 'run', type: 'workflow_invalid', level: 'ERROR', remedy: '' } as const;
