import { isDeepStrictEqual } from 'node:util';
import {
  type Cell,
  type CellValue,
  DataDesignerError,
  isFields,
  isList,
  parseJson,
  type Row,
  type Setting,
  stringifyJson,
  tryParse,
  unboxed,
  type WrittenValues,
} from '@data-designer/core';
import { type Check, execute, type Ran, type Run, type RunFailure } from '@data-designer/execution';
import { compileValue, isTemplate } from '@data-designer/template';
import { readFences } from '../answer/fences.ts';
import { verdictCell } from './target-verdicts.ts';
import { engineOf, type ExecutionParams, programTests } from './validator-params.ts';

/** The targets and the rules of a validation by execution. */
export interface ExecutionValidation extends ExecutionParams {
  readonly targetColumns: readonly string[];
}

/** Why a program is not right: its run failed, or it gave something else. */
interface Fault {
  readonly kind: RunFailure['kind'] | 'wrong';
  readonly message: string;
}

/** A run and what it must give. */
interface Trial {
  readonly run: Run;
  /** What is wrong with a run that reached its end; the run behind it may have what to expect. */
  readonly judge: (ran: Ran, next: Ran | undefined) => string | undefined;
}

/** What a row brings to the check of its programs. */
interface Given {
  readonly setup: readonly string[];
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  readonly tests: CellValue;
  readonly expected: CellValue;
}

/** Makes the cells of a validation by execution; the journal keeps what its programs did. */
export function validateExecution(
  params: ExecutionValidation,
  { templates: mode }: Setting,
): (cell: Cell) => Promise<WrittenValues> {
  const valueOf = (source: unknown): ((row: Row) => CellValue) =>
    typeof source === 'string' && isTemplate(source)
      ? compileValue(source, { mode })
      : () => (source ?? null) as CellValue;
  const setup = valueOf(params.setup);
  const tests = valueOf(params.tests);
  const expected = valueOf(params.expected);
  const tables = Object.entries(params.tables).map(([name, rows]) => [name, valueOf(rows)] as const);
  return async (cell) => {
    const { row } = cell;
    const before = setup(row);
    const given = {
      setup: before === null ? [] : [textOf(before)],
      tables: Object.fromEntries(tables.map(([name, rows]) => [name, tableRows(name, rows(row))])),
      tests: tests(row),
      expected: expected(row),
    };
    return verdictCell(row, params.targetColumns, (program) =>
      program === null ? NOT_JUDGED : verdictOn(cell, programText(program), { params, given }),
    );
  };
}

const NOT_JUDGED = {
  is_valid: null,
  failure: null,
  error: null,
  output: null,
  result: null,
  seconds: null,
  memory_mb: null,
  tests: [],
};

/** A program, without the fence of an answer that is one block. */
function programText(program: CellValue): string {
  const text = typeof program === 'string' ? program : stringifyJson(program);
  const { fences, outside } = readFences(text);
  const [fence] = fences;
  return fence !== undefined && fences.length === 1 && outside.trim() === '' ? fence.body : text;
}

function tableRows(name: string, value: CellValue): readonly Row[] {
  const rows = typeof value === 'string' ? tryParse(value, parseJson) : value;
  if (rows !== undefined && isList(rows) && rows.every((row) => isFields(row))) return rows;
  throw invalid(`the table '${name}' is not a list of objects`);
}

async function verdictOn(
  cell: Cell,
  program: string,
  { params, given }: { readonly params: ExecutionParams; readonly given: Given },
): Promise<CellValue> {
  const trials = params.language === 'sql' ? queries(program, params, given) : programs(program, params, given);
  const limits = {
    timeoutMs: params.timeoutSec * 1000,
    memoryBytes: params.memoryMb * 1_000_000,
    outputBytes: params.maxOutputKb * 1000,
  };
  const ran = await runAll(cell, { params, check: { runs: trials.map(({ run }) => run), limits } });
  const expectedFailure = params.language === 'sql' ? ran[1]?.failure : undefined;
  if (expectedFailure) throw invalid(`the query of expected fails: ${expectedFailure.message}`);
  const faults = trials.map(({ judge }, at): Fault | undefined => {
    const one = ran[at] as Ran;
    if (one.failure) return one.failure;
    const wrong = judge(one, ran[at + 1]);
    return wrong === undefined ? undefined : { kind: 'wrong', message: wrong };
  });
  const [first] = ran;
  const fault = faults.find((one) => one !== undefined);
  const memory = ran.map(({ memoryBytes }) => memoryBytes).filter((bytes) => bytes !== null);
  const hasTests = given.tests !== null;
  return {
    is_valid: fault === undefined,
    failure: fault?.kind ?? null,
    error: fault?.message ?? null,
    output: first?.output ?? '',
    result: first === undefined || first.value === null ? null : stringifyJson(first.value),
    seconds: ran.reduce((sum, { ms }) => sum + ms, 0) / 1000,
    memory_mb: memory.length === 0 ? null : Math.max(...memory) / 1_000_000,
    tests: hasTests
      ? faults.map((one, at) => ({
          test: at,
          passed: one === undefined,
          error: one?.message ?? null,
          output: ran[at]?.output ?? '',
        }))
      : [],
  };
}

/** Runs programs in a sandbox, or by the command of a provider; the journal keeps what they did. */
function runAll(
  cell: Cell,
  { params, check }: { readonly params: ExecutionParams; readonly check: Check },
): Promise<readonly Ran[]> {
  const { provider, language } = params;
  if (provider !== null)
    return runByProvider(cell, { provider, language, check }).then((ran) => answered(provider, ran));
  const engine = engineOf(params);
  if (engine === undefined) throw invalid(`there is no sandbox for '${language}'`);
  return cell.recordOutcome('execution', async () => answered(engine, await execute(engine, check)));
}

/** Runs of which none lost its sandbox. */
function answered(engine: string, ran: readonly Ran[]): readonly Ran[] {
  const lost = ran.find(({ failure }) => failure?.kind === 'sandbox')?.failure;
  if (lost) throw new DataDesignerError('execution/lost', { engine, reason: lost.message });
  return ran;
}

async function runByProvider(
  cell: Cell,
  { provider, language, check }: { readonly provider: string; readonly language: string; readonly check: Check },
): Promise<readonly Ran[]> {
  const body = stringifyJson({ language, ...check });
  const timeoutMs = check.limits.timeoutMs * check.runs.length + START_MS;
  return unboxed(parseJson(await cell.runPrograms(provider, { body, timeoutMs }))) as unknown as readonly Ran[];
}

/** What the command of a provider may take to start, on a busy machine too. */
const START_MS = 60_000;

/** The runs of a query, and of the one that gives the rows to expect. */
function queries(query: string, { ordered }: ExecutionParams, { setup, tables, expected }: Given): readonly Trial[] {
  const runOf = (text: string): Run => ({ scripts: [...setup, text], tables });
  if (expected === null) return [{ run: runOf(query), judge: () => undefined }];
  const rows = typeof expected === 'string' ? tryParse(expected, parseJson) : expected;
  if (rows !== undefined && isList(rows)) {
    return [{ run: runOf(query), judge: ({ value }) => unlikeRows(value, rows, ordered) }];
  }
  if (typeof expected !== 'string') throw invalid('what is expected is neither a query nor a list of rows');
  return [
    { run: runOf(query), judge: ({ value }, wanted) => unlikeRows(value, wanted?.value ?? null, ordered) },
    { run: runOf(expected), judge: () => undefined },
  ];
}

/** The runs of a program: one for each test, or one for all. */
function programs(program: string, { call }: ExecutionParams, { setup, tests, expected }: Given): readonly Trial[] {
  const scripts = [...setup, program];
  if (tests === null) {
    const wanted = expected === null ? undefined : textOf(expected);
    return [
      { run: { scripts }, judge: ({ output }) => (wanted === undefined ? undefined : unlikeText(output, wanted)) },
    ];
  }
  const read = programTests.safeParse(testsIn(tests));
  if (!read.success || read.data.length === 0) {
    throw invalid(
      'its tests are neither code, nor a list of code, of objects with input and output, or with args and returns',
    );
  }
  return read.data.map((test): Trial => {
    if (typeof test === 'string') return { run: { scripts: [...scripts, test] }, judge: () => undefined };
    if ('input' in test) {
      const { input, output: wanted } = test;
      return { run: { scripts, input }, judge: ({ output }) => unlikeText(output, wanted) };
    }
    if (call === null) throw invalid("its tests have arguments, but no function is named by 'call'");
    const wanted = (test.returns ?? null) as CellValue;
    return {
      run: { scripts, call: { name: call, args: test.args as readonly CellValue[] } },
      judge: ({ value }) =>
        sameValue(value, wanted) ? undefined : `it returns ${shown(value)}, and not ${shown(wanted)}`,
    };
  });
}

/** Tests in a list; a text may be the list as JSON. */
function testsIn(tests: CellValue): unknown {
  if (typeof tests !== 'string') return unboxed(tests);
  const list = tryParse(tests, parseJson);
  return list !== undefined && isList(list) ? unboxed(list) : [tests];
}

function invalid(reason: string): DataDesignerError<'execution/invalid'> {
  return new DataDesignerError('execution/invalid', { reason });
}

function textOf(value: CellValue): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** Texts without the white space at the ends of lines and of the whole. */
function trimmed(text: string): string {
  return text.replaceAll(/[ \t\r]+$/gm, '').trimEnd();
}

function unlikeText(output: string, wanted: string): string | undefined {
  if (trimmed(output) === trimmed(wanted)) return undefined;
  return `it prints ${shown(trimmed(output))}, and not ${shown(trimmed(wanted))}`;
}

function unlikeRows(found: CellValue, wanted: CellValue, ordered: boolean): string | undefined {
  const [ours, theirs] = [found, wanted].map((rows) => {
    const keys = (rows !== null && isList(rows) ? rows : []).map((row) => rowKey(row));
    return ordered ? keys : keys.toSorted();
  }) as [string[], string[]];
  if (ours.length !== theirs.length) return `it gives ${count(ours.length)}, and not ${count(theirs.length)}`;
  const at = ours.findIndex((key, index) => key !== theirs[index]);
  return at === -1
    ? undefined
    : `it gives the row ${shownText(ours[at] ?? '')}, and not ${shownText(theirs[at] ?? '')}`;
}

function count(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}

/** The values of a row in their order, whatever its columns are called. */
function rowKey(row: CellValue): string {
  const plain = unboxed(row);
  const values = Array.isArray(plain)
    ? plain
    : typeof plain === 'object' && plain !== null
      ? Object.values(plain)
      : [plain];
  return JSON.stringify(values.map(comparable));
}

/** A value as rows compare it: SQLite has no booleans, and engines differ in the last digits of sums. */
function comparable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
}

const DIGITS = 12;

/** Whether two results are the same, numbers to twelve digits. */
function sameValue(found: CellValue, wanted: CellValue): boolean {
  return isDeepStrictEqual(normal(unboxed(found)), normal(unboxed(wanted)));
}

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, normal(one)]));
  }
  return typeof value === 'boolean' ? value : comparable(value);
}

const SHOWN = 200;

function shown(value: CellValue): string {
  return shownText(typeof value === 'string' ? JSON.stringify(value) : stringifyJson(value));
}

function shownText(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
