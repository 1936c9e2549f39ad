import { memo, type ReactNode, useEffect, useState } from 'react';
import type { CutText } from '../../../api/cells.ts';
import type { LiveAnswer, LiveState, OpenGroup } from '../../../api/live.ts';
import { useSource } from '../../data/data-source.ts';
import { useData } from '../../data/use-data.ts';
import { useDataset } from '../../data/use-dataset.tsx';
import { useVisible } from '../../data/use-visible.ts';
import { formatCount, pluralize } from '../../format.ts';
import { LongText } from '../../parts/long-text.tsx';
import { cellsOf } from '../../../run-cells.ts';
import { describeCells } from '../../parts/run-progress.ts';
import { visibleText } from '../../visible-text.ts';
import { AttemptLists } from '../record/attempt-list.tsx';
import { RunHealth } from './run-health.tsx';

/** Answers as they arrive, before their rows are finished, and what each row group waits for. */
export function LivePage(): ReactNode {
  const { entry, overview } = useDataset();
  const source = useSource();
  const isVisible = useVisible();
  const [streamed, setStreamed] = useState<LiveState>();
  const [paused, setPaused] = useState<LiveState>();
  const [column, setColumn] = useState('');
  const { data, error } = useData(`${entry.id} ${overview.state}`, (signal) =>
    source.ask('live', { dataset: entry.id }, signal),
  );
  useEffect(
    () => (isVisible ? source.watch?.(entry.id, 'answers', { onEvent: setStreamed }) : undefined),
    [source, entry.id, isVisible],
  );
  const latest = streamed ?? data;
  const live = paused ?? latest;
  if (source.watch === undefined) {
    return (
      <p className="notice">
        This is a copy of a dataset. To see the answers of a run: <code>data-designer view FOLDER</code>
      </p>
    );
  }
  if (error !== undefined) return <p className="notice error">{error}</p>;
  if (live === undefined) return <p className="quiet">Reading the journals…</p>;
  const cells = overview.state === 'running' && overview.progress ? cellsOf(overview.progress) : null;
  const columns = [...new Set(live.answers.map((answer) => answer.column))];
  const answers = live.answers.filter((answer) => column === '' || answer.column === column).toReversed();
  return (
    <div className="stack">
      {overview.state !== 'running' && <p className="notice">No run is at work on this dataset.</p>}
      {cells !== null && (
        <p>
          {formatCount(overview.progress?.rows.done ?? 0)} of {pluralize(overview.wanted, 'row')} finished, cells:{' '}
          {describeCells(cells)}
        </p>
      )}
      <RunHealth />
      <Groups groups={live.groups} />
      {(overview.state === 'running' || live.answers.length > 0) && (
        <section className="stack">
          <div className="row">
            <h2>Answers</h2>
            <label className="row">
              Column
              <select value={column} onChange={(event) => setColumn(event.target.value)}>
                <option value="">all</option>
                {columns.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
            <button
              type="button"
              aria-pressed={paused !== undefined}
              onClick={() => setPaused(paused === undefined ? latest : undefined)}
            >
              {paused === undefined ? 'Pause' : 'Paused'}
            </button>
          </div>
          {answers.length === 0 && <p className="quiet">No answer has arrived yet.</p>}
          <ol className="answers">
            {answers.map((answer) => (
              <AnswerItem key={answer.number} answer={answer} />
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function Groups({ groups }: { readonly groups: readonly OpenGroup[] }): ReactNode {
  if (groups.length === 0) return null;
  return (
    <section className="stack">
      <h2>Row groups at work</h2>
      <div className="cards">
        {groups.map(({ group, rows, answers, waitsFor, columns, lastAnswerAt }) => (
          <article key={group} className="card">
            <div className="row spread">
              <h3>Row group {formatCount(group)}</h3>
              <span className="quiet small">
                {pluralize(rows, 'row')}, {pluralize(answers, 'answer')}
              </span>
            </div>
            <p className="small">{visibleText(waitsFor)}</p>
            <ul className="bare-list small quiet">
              {columns.map(({ column, answered, inFlight }) => (
                <li key={column}>
                  {visibleText(column)}: {formatCount(answered)} of {formatCount(rows)}
                  {inFlight === null ? '' : `, ${formatCount(inFlight)} in flight`}
                </li>
              ))}
            </ul>
            {lastAnswerAt !== null && (
              <p className="quiet small">last answer at {new Date(lastAnswerAt).toLocaleTimeString()}</p>
            )}
          </article>
        ))}
      </div>
    </section>
  );
}

interface AnswerProps {
  readonly answer: LiveAnswer;
}

/** An answer does not change once it is there. */
const AnswerItem = memo(function AnswerItem({ answer }: AnswerProps): ReactNode {
  const {
    row,
    column,
    attempt,
    call,
    resource,
    status,
    text,
    reasoning,
    toolCalls,
    outputTokens,
    at,
    kind,
    finishReason,
  } = answer;
  const facts = [
    resource,
    attempt > 1 ? `attempt ${attempt}` : null,
    call > 0 ? `call ${call + 1}` : null,
    status === 200 ? null : `status ${status}`,
    outputTokens === null ? null : pluralize(outputTokens, 'token'),
    finishReason === null || finishReason === 'stop' ? null : finishReason,
    new Date(at).toLocaleTimeString(),
  ];
  return (
    <li className={`message message-${kind === 'tool' ? 'tool' : 'assistant'}`}>
      <div className="row spread">
        <strong>
          Planned row {formatCount(row)}, {visibleText(column)}
        </strong>
        <span className="quiet small">{visibleText(facts.filter((fact) => fact !== null).join(' · '))}</span>
      </div>
      {reasoning !== null && (
        <details>
          <summary>Reasoning ({pluralize(reasoning.length, 'character')})</summary>
          <LongText cut={reasoning} />
        </details>
      )}
      {(text.text !== '' || toolCalls.length === 0) && <AnswerText cut={text} />}
      {attempt > 1 && <RowAttempts answer={answer} />}
      {toolCalls.length > 0 && <p className="quiet small">calls {visibleText(toolCalls.join(', '))}</p>}
    </li>
  );
}, isSameAnswer);

/** All attempts at the row of an answer so far, loaded once they are opened. */
function RowAttempts({ answer: { row, group, number } }: AnswerProps): ReactNode {
  const { entry, columns } = useDataset();
  const source = useSource();
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useData(isOpen ? `${entry.id} ${row} ${number}` : undefined, (signal) =>
    source.ask('attempts', { dataset: entry.id, row, group }, signal),
  );
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>All attempts at planned row {formatCount(row)}</summary>
      {error !== undefined && <p className="notice error">{error}</p>}
      {data?.attempts.length === 0 && <p className="quiet small">Its row group is finished: look at its record.</p>}
      {data !== undefined && (
        <AttemptLists attempts={data.attempts} infos={new Map(columns.map((info) => [info.name, info]))} />
      )}
    </details>
  );
}

function isSameAnswer({ answer: a }: AnswerProps, { answer: b }: AnswerProps): boolean {
  return a.number === b.number && a.at === b.at;
}

/** A longer answer is folded: the list changes several times a second. */
const MAX_OPEN_TEXT = 400;

function AnswerText({ cut }: { readonly cut: CutText }): ReactNode {
  if (cut.text.length <= MAX_OPEN_TEXT) return <LongText cut={cut} />;
  return (
    <details>
      <summary>{visibleText(cut.text.slice(0, MAX_OPEN_TEXT / 2))}…</summary>
      <LongText cut={cut} />
    </details>
  );
}
