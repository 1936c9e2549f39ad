import {
  type ColumnType,
  DataDesignerError,
  type MadeCells,
  type Plan,
  type PlannedColumn,
  type PlannedProcessor,
  Random,
  type Setting,
  type UserFunction,
} from '@data-designer/core';
import { type ColumnRegistry, typeOf } from '@data-designer/config';
import { processorFunctions } from '../functions/processor-functions.ts';
import { besideMakers, type RowMakers } from './side-table.ts';
import type { FlowPlan } from './row-dataflow.ts';
import { type SkipRule, skipRules } from './skip-rules.ts';

type Making = ColumnType<never>;
type Fill = ReturnType<Extract<Making, { fill: unknown }>['fill']>;

/** A local column that is made for all rows of a group at once, before any row opens. */
interface LocalColumn {
  readonly column: PlannedColumn;
  readonly fill: Fill;
  /** Its values are its own, and nobody else's once they are written. */
  readonly isDrawn: boolean;
  readonly random: Random;
}

/** A column made row by row, or for all rows together once they have come that far. */
export interface FlowColumn {
  readonly column: PlannedColumn;
  readonly make: MadeCells;
  readonly random: Random;
  /** When it is left out of a row; undefined where it never is. */
  readonly skip: SkipRule | undefined;
}

/** A plan with everything compiled that can be compiled once a thread. */
export interface PreparedPlan {
  readonly plan: Plan;
  readonly local: readonly LocalColumn[];
  readonly flowing: readonly FlowColumn[];
  readonly flow: FlowPlan;
  /** Columns whose integral numbers are floats, so that templates print them as such. */
  readonly floats: ReadonlySet<string>;
  /** What makes the rows of tables beside the main one. */
  readonly beside: RowMakers;
  /** What processors do in this thread, by their handles: those of others are asked of where they are. */
  readonly functions: ReadonlyMap<string, UserFunction>;
  /** Whether a processor takes a column out of the written table. */
  readonly drops: (processor: PlannedProcessor, column: string) => boolean;
}

/** Compiles templates, schemas and draws of a plan for this thread. */
export function preparePlan(plan: Plan, registry: ColumnRegistry): PreparedPlan {
  const local: LocalColumn[] = [];
  const made: Omit<FlowColumn, 'skip'>[] = [];
  const setting: Setting = { templates: plan.templates, constraints: plan.constraints };
  for (const column of plan.columns) {
    const making = typeOf(column.config, registry) as Making;
    const config = column.config as never;
    const random = Random.of(plan.seed, column.name);
    if ('fill' in making) local.push({ column, fill: making.fill(config, setting), isDrawn: !making.ofSeed, random });
    else if ('cell' in making) made.push({ column, make: { cell: making.cell(config, setting) }, random });
    else if ('group' in making) made.push({ column, make: { group: making.group(config, setting) }, random });
    else made.push({ column, make: making.made(config, setting), random });
  }
  const rules = skipRules(made.map(({ column }) => column));
  const flowing = made.map((column, position) => ({ ...column, skip: rules[position] }));
  refuseLateFills(local, flowing);
  const fields = plan.columns.flatMap(({ writes }) => writes);
  const floats = new Set(fields.filter(({ type }) => type === 'float64').map(({ name }) => name));
  const drops: PreparedPlan['drops'] = ({ config }, name) =>
    registry.processorOf(config).drops?.(config as never, name) ?? false;
  const processing = { beside: besideMakers(plan, registry), functions: processorFunctions(plan, registry), drops };
  return { plan, local, flowing, flow: flowPlan(flowing), floats, ...processing };
}

/** Which flowing column waits for which, by position. */
function flowPlan(flowing: readonly FlowColumn[]): FlowPlan {
  const position = new Map(flowing.map(({ column }, index) => [column.name, index]));
  const dependents: number[][] = flowing.map(() => []);
  const needs = flowing.map(({ column }, index) => {
    const waits = column.needs.map((name) => position.get(name)).filter((at) => at !== undefined);
    for (const at of waits) dependents[at]?.push(index);
    return waits.length;
  });
  return { dependents, needs };
}

/** A column filled before rows open cannot read what rows make; a column type that may do so must be made by cell. */
function refuseLateFills(local: readonly LocalColumn[], flowing: readonly FlowColumn[]): void {
  const made = new Set(flowing.map(({ column }) => column.name));
  for (const { column } of local) {
    const late = column.needs.find((name) => made.has(name));
    if (late === undefined) continue;
    const reason = `the column '${column.name}' is filled ahead of rows but reads '${late}'`;
    throw new DataDesignerError('internal/unexpected', { reason });
  }
}
