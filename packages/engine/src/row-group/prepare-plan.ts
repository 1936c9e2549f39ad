import {
  type ArrowField,
  type ColumnType,
  DataDesignerError,
  type MadeCells,
  type Plan,
  type PlannedAttempts,
  type PlannedColumn,
  type PlannedProcessor,
  Random,
  type RowRange,
  type Setting,
  Shortfall,
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

/** A part of a row that is made at once: a column, by its position, or a block of attempts. */
type RowUnit = number | AttemptBlock;

/** The columns of a block of attempts. */
export interface AttemptBlock {
  readonly planned: PlannedAttempts;
  /** The positions of its columns. */
  readonly members: readonly number[];
  /** Of the members. */
  readonly dataflow: Dataflow;
  /** The environments that its columns change. */
  readonly environments: ReadonlySet<string>;
  /** What its columns write, without the decision. */
  readonly written: readonly string[];
  /** Of these, what the row stores of each attempt: columns that are dropped are left out. */
  readonly stored: readonly string[];
  /** What its decision reads of what its columns write. */
  readonly decides: readonly string[];
  /** Draws at once, so that all rows share it. */
  readonly random: Random;
}

/** A plan with its templates, schemas and draws compiled, once per thread. */
export interface PreparedPlan {
  readonly plan: Plan;
  readonly local: readonly LocalColumn[];
  readonly rowColumns: readonly RowColumn[];
  /** What a row makes: one row column, by position, or a block of attempts. */
  readonly units: readonly RowUnit[];
  /** Of the units. */
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
  const { attempts = [] } = plan;
  const deciding = new Set([plan.select?.where, ...attempts.map(({ decision }) => decision)]);
  const settingOf = ({ name }: PlannedColumn): Setting =>
    deciding.has(name) ? { ...setting, isPortable: false } : setting;
  const repeated = new Set(attempts.flatMap(({ columns }) => columns));
  const add = (column: PlannedColumn, make: MadeCells, random: Random): void =>
    void made.push({ column, make: repeated.has(column.name) ? alone(make) : make, random });
  const adds: PreparedPlan['adds'] = ({ config }) => registry.processorOf(config).adds?.(config) ?? [];
  const first = plan.processors.filter(({ stage }) => stage === 'pre_batch');
  const addedFirst = new Set(first.flatMap(adds).map(({ name }) => name));
  for (const column of plan.columns) {
    const type = typeOf(column.config, registry) as Type;
    const config = column.config as never;
    const random = Random.of(plan.seed, column.name);
    if (addedFirst.has(column.name)) local.push({ column, fill: fillNulls, isDrawn: false, random });
    else if ('fill' in type) local.push({ column, fill: type.fill(config, setting), isDrawn: !type.ofSeed, random });
    else if ('cell' in type) add(column, { cell: type.cell(config, settingOf(column)) }, random);
    else if ('group' in type) add(column, { group: type.group(config, setting) }, random);
    else add(column, type.made(config, setting), random);
  }
  const rules = skipRules(made.map(({ column }) => column));
  const rowColumns = made.map((column, position) => ({ ...column, skip: rules[position] }));
  refuseLateFills(local, rowColumns);
  const written = [...plan.columns, ...attempts].flatMap(({ writes }) => writes);
  const fields = [...written, ...plan.processors.flatMap(adds)];
  const floats = new Set(fields.filter(({ type }) => type === 'float64').map(({ name }) => name));
  const drops: PreparedPlan['drops'] = ({ config }, name) =>
    registry.processorOf(config).drops?.(config, name) ?? false;
  const processing = {
    sideTables: sideTableMakers(plan, registry),
    functions: processorFunctions(plan, registry),
    drops,
    adds,
  };
  const units = unitsOf(rowColumns, plan);
  return { plan, local, rowColumns, units, dataflow: dataflowOf(rowColumns, units), floats, ...processing };
}

/** The processor that adds the column gives it its values. */
const fillNulls: Fill = ({ rows }: RowRange) => ({ written: [Array.from({ length: rows }, () => null)] });

/** Makes each cell of a column over whole groups for its own row: the attempts of one row wait for no other. */
function alone(make: MadeCells): MadeCells {
  if ('cell' in make) return make;
  const { group } = make;
  return {
    cell: async (cell) => {
      const [written = []] = await group([cell]);
      if (written instanceof DataDesignerError || written instanceof Shortfall) throw written;
      return written;
    },
  };
}

/** The columns by position, each block of attempts in place of its first column. */
function unitsOf(rowColumns: readonly RowColumn[], { attempts = [], seed }: Plan): readonly RowUnit[] {
  const blocks = new Map<string, AttemptBlock>();
  for (const planned of attempts) {
    const inside = new Set(planned.columns);
    const members = rowColumns.flatMap(({ column }, index) => (inside.has(column.name) ? [index] : []));
    const columns = members.flatMap((index) => rowColumns[index] ?? []);
    const own = columns.flatMap(({ column }) => (column.name === planned.decision ? [] : column));
    const written = own.flatMap(({ writes }) => writes.map(({ name }) => name));
    const dropped = new Set(own.flatMap(({ name, config }) => (config.drop ? name : [])));
    const stored = written.filter((name) => !dropped.has(name));
    const dataflow = dataflowOf(
      columns,
      columns.map((_, index) => index),
    );
    const { reads = [] } = columns.find(({ column }) => column.name === planned.decision)?.column ?? {};
    const decides = reads.filter((name) => written.includes(name));
    const random = Random.of(seed, `attempts:${planned.name}`);
    const environments = new Set(columns.flatMap(({ column }) => column.environments ?? []));
    const block = { planned, members, dataflow, environments, written, stored, decides, random };
    for (const name of inside) blocks.set(name, block);
  }
  const units = rowColumns.map(({ column }, index): RowUnit => blocks.get(column.name) ?? index);
  return [...new Set(units)];
}

/** Which unit waits for which. */
function dataflowOf(rowColumns: readonly RowColumn[], units: readonly RowUnit[]): Dataflow {
  const columnsOf = (unit: RowUnit) => (typeof unit === 'number' ? [unit] : unit.members);
  const unitOf = new Map(
    units.flatMap((unit, index) => columnsOf(unit).map((at) => [rowColumns[at]?.column.name, index] as const)),
  );
  const dependents: number[][] = units.map(() => []);
  const needs = units.map((unit, index) => {
    const named = columnsOf(unit).flatMap((at) => rowColumns[at]?.column.needs ?? []);
    const waits = new Set(named.flatMap((name) => unitOf.get(name) ?? []));
    waits.delete(index);
    for (const at of waits) dependents[at]?.push(index);
    return waits.size;
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
