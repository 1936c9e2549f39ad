import type { ReactNode } from 'react';
import type { Cell } from '../../../api/cells.ts';
import type { CheckedProgram, ProgramTest } from '../../../api/record.ts';
import { formatBytes, formatCount, formatMs, pluralize } from '../../format.ts';
import { LongText } from '../../parts/long-text.tsx';
import { visibleText } from '../../visible-text.ts';

const MB = 1_000_000;

/** The kinds of failures in words. */
const FAILURES: Readonly<Record<string, string>> = {
  exception: 'It raised an error',
  timeout: 'It took too long',
  memory: 'It used too much memory',
  output: 'It gave too much output',
  wrong: 'It gave a wrong result',
};

/** What the programs of a verdict did, one for each target. */
export function ProgramRuns({ programs }: { readonly programs: readonly CheckedProgram[] }): ReactNode {
  return programs.map((program) => (
    <div key={program.target ?? ''} className="stack programs">
      {program.target !== null && <h4>{visibleText(program.target)}</h4>}
      <ProgramRun program={program} />
    </div>
  ));
}

function ProgramRun({ program }: { readonly program: CheckedProgram }): ReactNode {
  const { isValid, failure, error, output, result, seconds, memoryMb, tests, testCount } = program;
  if (isValid === null) return <p className="quiet">There was no program to run.</p>;
  const facts = [
    testCount === 0
      ? null
      : `${formatCount(tests.filter(({ passed }) => passed).length)} of ${testsText(program)} passed`,
    seconds === null ? null : formatMs(seconds * 1000),
    memoryMb === null ? null : `${formatBytes(memoryMb * MB)} of memory`,
  ];
  return (
    <>
      <p className="row">
        <Outcome passed={isValid} />
        <span className="quiet">{facts.filter((fact) => fact !== null).join(' · ')}</span>
      </p>
      {failure !== null && <p>{visibleText(FAILURES[failure] ?? failure)}:</p>}
      {hasText(error) && <Printed text={error} isError />}
      {testCount === 0 ? <Gave result={result} output={output} /> : <TestTable tests={tests} testCount={testCount} />}
    </>
  );
}

/** What a program without tests gave; with tests, a verdict has what the first one gave. */
function Gave({ result, output }: Pick<CheckedProgram, 'result' | 'output'>): ReactNode {
  if (!hasText(result) && !hasText(output)) return <p className="quiet">It printed nothing.</p>;
  return (
    [
      ['Result', result],
      ['Output', output],
    ] as const
  ).map(
    ([title, text]) =>
      hasText(text) && (
        <div key={title}>
          <h4>{title}</h4>
          <Printed text={text} />
        </div>
      ),
  );
}

function testsText({ tests, testCount }: CheckedProgram): string {
  return tests.length < testCount ? `the first ${pluralize(tests.length, 'test')}` : pluralize(testCount, 'test');
}

function TestTable({ tests, testCount }: Pick<CheckedProgram, 'tests' | 'testCount'>): ReactNode {
  const hasErrors = tests.some(({ error }) => hasText(error));
  const hasOutput = tests.some(({ output }) => hasText(output));
  return (
    <>
      <table className="list-table">
        <thead>
          <tr>
            <th scope="col">Test</th>
            <th scope="col">Result</th>
            {hasErrors && <th scope="col">Error</th>}
            {hasOutput && <th scope="col">Output</th>}
          </tr>
        </thead>
        <tbody>
          {tests.map((test) => (
            <TestRow key={test.number} test={test} hasErrors={hasErrors} hasOutput={hasOutput} />
          ))}
        </tbody>
      </table>
      {tests.length < testCount && (
        <p className="quiet small">There are {formatCount(testCount - tests.length)} more tests.</p>
      )}
    </>
  );
}

interface TestProps {
  readonly test: ProgramTest;
  readonly hasErrors: boolean;
  readonly hasOutput: boolean;
}

function TestRow({ test: { number, passed, error, output }, hasErrors, hasOutput }: TestProps): ReactNode {
  return (
    <tr>
      <th scope="row">{formatCount(number)}</th>
      <td>
        <Outcome passed={passed} />
      </td>
      {hasErrors && <td>{hasText(error) && <Printed text={error} isError />}</td>}
      {hasOutput && <td>{hasText(output) && <Printed text={output} />}</td>}
    </tr>
  );
}

function Outcome({ passed }: { readonly passed: boolean }): ReactNode {
  return <strong className={passed ? 'good' : 'bad'}>{passed ? 'passed' : 'failed'}</strong>;
}

type Text = Extract<Cell, string | { readonly as: 'text' }>;

/** Text that a program printed or raised. */
function Printed({ text, isError = false }: { readonly text: Text; readonly isError?: boolean }): ReactNode {
  const cut = typeof text === 'string' ? { text, length: text.length } : text;
  const draw = (printed: string): ReactNode => (
    <pre className={isError ? 'code bad' : 'code'}>{visibleText(printed.trimEnd())}</pre>
  );
  return <LongText cut={cut} draw={draw} />;
}

function hasText(cell: Cell): cell is Text {
  return typeof cell === 'string' ? cell.trim() !== '' : typeof cell === 'object' && cell?.as === 'text';
}
