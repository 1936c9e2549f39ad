import { createHash } from 'node:crypto';
import { stringifyJson } from '@data-designer/core';
import type {
  GivenInput,
  InputContext,
  InputFinding,
  MadeRows,
  Several,
  StageColumns,
  StageRow,
  StageRows,
} from './input-kind.ts';

/** The rows that a stage reads, with the hash of their content. */
export type ReadRows = StageRows & { readonly content: string };

/** A kind that has made rows of a stage's input. */
export interface InputStep {
  readonly kind: GivenInput;
  /** The first of the inputs that it read, and how many rows it made of it so far. */
  readonly before: StageRows;
  readonly rows: () => number;
}

/** The input of a stage before its rows are read. */
export interface InputPlan extends StageColumns {
  /** A hash of everything that its rows follow from. */
  readonly content: string;
  readonly records: () => AsyncIterable<StageRow>;
  readonly steps: readonly InputStep[];
  /** Complete after the last row. */
  readonly findings: readonly InputFinding[];
}

/** The columns of an input; a text says why the kinds cannot make it of these. */
export function shapeOf(
  kinds: readonly GivenInput[],
  outputs: Several<StageColumns>,
  stage: string,
): StageColumns | string {
  let inputs = outputs;
  for (const kind of kinds) {
    const made = kind.shape(inputs, stage);
    if (typeof made === 'string') return made;
    inputs = made;
  }
  return inputs[0];
}

/** Plans the rows of an input; none is read before the first is asked for. */
export async function planInput(
  kinds: readonly GivenInput[],
  outputs: Several<ReadRows>,
  { stage, fail }: Pick<InputContext, 'fail'> & { readonly stage: string },
): Promise<InputPlan> {
  const findings: InputFinding[] = [];
  const context: InputContext = { fail, report: (finding) => void findings.push(finding) };
  const steps: InputStep[] = [];
  let inputs = outputs;
  for (const kind of kinds) {
    const contents = inputs.map(({ content }) => content);
    const columns = kind.shape(inputs, stage);
    if (typeof columns === 'string') throw fail(columns);
    const made = await kind.make(inputs, context);
    const [first, ...others] = columns.flatMap((one, at): ReadRows[] => {
      const rows = made[at];
      const read = columns.length === inputs.length ? contents.slice(at, at + 1) : contents;
      return rows ? [countedRows(one, rows, contentAfter(kind, read, rows.basis))] : [];
    });
    if (!first) throw fail(`${kind.name}: it makes no rows`);
    steps.push({ kind, before: inputs[0], rows: () => first.rows });
    inputs = [first, ...others];
  }
  const [{ stage: from, fields, origins, content, records }] = inputs;
  return { stage: from, fields, origins, content, records, steps, findings };
}

/** The hash of rows that a kind makes. */
export function contentAfter({ name, value }: GivenInput, contents: readonly string[], basis = ''): string {
  return createHash('sha256')
    .update(stringifyJson([name, value as never, ...contents, basis]))
    .digest('hex');
}

/** Rows whose number is that of the last complete reading. */
function countedRows({ stage, fields, origins }: StageColumns, made: MadeRows, content: string): ReadRows {
  let known = made.rows ?? 0;
  return {
    stage,
    fields,
    origins,
    content,
    get rows() {
      return known;
    },
    records: async function* () {
      let rows = 0;
      yield* counted(made.records(), () => (known = ++rows));
      known = rows;
    },
  };
}

/** Passes rows on and reports each. */
export async function* counted<Row>(records: AsyncIterable<Row>, count: () => void): AsyncGenerator<Row> {
  for await (const record of records) {
    count();
    yield record;
  }
}
