import {
  type ArrowField,
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
import type { Dataflow } from './row-dataflow.ts';
import { sideTableMakers, type SideTableMakers } from './side-table.ts';
import { type SkipRule, skipRules } from './skip-rules.ts';

type Type = ColumnType<never>;
type Fill = ReturnType<Extract<Type, { fill: unknown }>['fill']>;

/** A local column: filled for all rows of a group at once, before any row opens. */
interface LocalColumn {
  readonly column: PlannedColumn;
  readonly fill: Fill;
  /** Whether only this column holds its values, so that their memory can be freed once they are written. */
  readonly isDrawn: boolean;
  readonly random: Random;
}

/** A column made row by row, or for all rows together at a barrier. */
export interface RowColumn {
  readonly column: PlannedColumn;
  readonly make: MadeCells;
  readonly random: Random;
  /** When its cell is skipped; undefined where it never is. */
  readonly skip: SkipRule | undefined;
}

/** A plan with its templates, schemas and draws compiled, once per thread. */
export interface PreparedPlan {
  readonly plan: Plan;
  readonly local: readonly LocalColumn[];
  readonly rowColumns: readonly RowColumn[];
  /** Of the row columns, by position. */
  readonly dataflow: Dataflow;
  /** Columns whose integral numbers are floats, so that templates print them as such. */
  readonly floats: ReadonlySet<string>;
  readonly sideTables: SideTableMakers;
  /** The processor functions that run in this thread, by handle; others are called where they are. */
  readonly functions: ReadonlyMap<string, UserFunction>;
  /** Whether a processor takes a column out of the written table. */
  readonly drops: (processor: PlannedProcessor, column: string) => boolean;
  /** The columns that a processor adds to the written table. */
  readonly adds: (processor: PlannedProcessor) => readonly ArrowField[];
}

/** Compiles the templates, schemas and draws of a plan for this thread. */
export function preparePlan(plan: Plan, registry: ColumnRegistry): PreparedPlan {
  const local: LocalColumn[] = [];
  const made: Omit<RowColumn, 'skip'>[] = [];
  const setting: Setting = { templates: plan.templates, constraints: plan.constraints };
  for (const column of plan.columns) {
    const type = typeOf(column.config, registry) as Type;
    const config = column.config as never;
    const random = Random.of(plan.seed, column.name);
    if ('fill' in type) local.push({ column, fill: type.fill(config, setting), isDrawn: !type.ofSeed, random });
    else if ('cell' in type) made.push({ column, make: { cell: type.cell(config, setting) }, random });
    else if ('group' in type) made.push({ column, make: { group: type.group(config, setting) }, random });
    else made.push({ column, make: type.made(config, setting), random });
  }
  const rules = skipRules(made.map(({ column }) => column));
  const rowColumns = made.map((column, position) => ({ ...column, skip: rules[position] }));
  refuseLateFills(local, rowColumns);
  const adds: PreparedPlan['adds'] = ({ config }) => registry.processorOf(config).adds?.(config) ?? [];
  const fields = [...plan.columns.flatMap(({ writes }) => writes), ...plan.processors.flatMap(adds)];
  const floats = new Set(fields.filter(({ type }) => type === 'float64').map(({ name }) => name));
  const drops: PreparedPlan['drops'] = ({ config }, name) =>
    registry.processorOf(config).drops?.(config, name) ?? false;
  const processing = {
    sideTables: sideTableMakers(plan, registry),
    functions: processorFunctions(plan, registry),
    drops,
    adds,
  };
  return { plan, local, rowColumns, dataflow: dataflowOf(rowColumns), floats, ...processing };
}

/** Which row column waits for which, by position. */
function dataflowOf(rowColumns: readonly RowColumn[]): Dataflow {
  const position = new Map(rowColumns.map(({ column }, index) => [column.name, index]));
  const dependents: number[][] = rowColumns.map(() => []);
  const needs = rowColumns.map(({ column }, index) => {
    const waits = column.needs.map((name) => position.get(name)).filter((at) => at !== undefined);
    for (const at of waits) dependents[at]?.push(index);
    return waits.length;
  });
  return { dependents, needs };
}

/** A column that is filled before rows open cannot read cells that rows make. */
function refuseLateFills(local: readonly LocalColumn[], rowColumns: readonly RowColumn[]): void {
  const made = new Set(rowColumns.map(({ column }) => column.name));
  for (const { column } of local) {
    const late = column.needs.find((name) => made.has(name));
    if (late === undefined) continue;
    const reason = `the column '${column.name}' is filled before the rows, but reads '${late}'`;
    throw new DataDesignerError('internal/unexpected', { reason });
  }
}
