import type { StateChanges } from '@data-designer/environments/compare-states';
import type { ReactNode } from 'react';
import type { TracePage } from '../../../api/conversation.ts';
import type { RecordedState } from '../../../api/record.ts';
import { pluralize } from '../../format.ts';
import { ValueView } from '../../parts/value-view.tsx';
import { visibleText } from '../../visible-text.ts';

interface StateProps {
  readonly state: RecordedState;
  /** The conversation of the column that used the environment; null if the row does not have it. */
  readonly conversation: TracePage | null;
}

/** The state of an environment after a column, with what changed and the calls that the column made. */
export function StateView({ state, conversation }: StateProps): ReactNode {
  const { environment, before, after } = state;
  return (
    <div className="stack" data-environment={environment}>
      {before === null ? (
        <p className="quiet small">
          The state with which {visibleText(environment)} began is not stored, so that the changes are not known.
        </p>
      ) : (
        <Changes environment={environment} before={before} />
      )}
      {conversation !== null && <Calls state={state} conversation={conversation} />}
      <div className="side-by-side">
        {before !== null && (
          <div>
            <h4>Before</h4>
            <ValueView value={before.value} />
          </div>
        )}
        <div>
          <h4>After</h4>
          <ValueView value={after} />
        </div>
      </div>
    </div>
  );
}

interface ChangesProps {
  readonly environment: string;
  readonly before: NonNullable<RecordedState['before']>;
}

function Changes({ environment, before: { field, changes, isCut } }: ChangesProps): ReactNode {
  const since = field ?? `${environment} was opened (opened again from the plan and this row)`;
  if (changes.length === 0) return <p>No change since {visibleText(since)}.</p>;
  return (
    <>
      <table className="list-table">
        <caption className="quiet small">Changes since {visibleText(since)}</caption>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row">{path === '' ? 'the state' : visibleText(path)}</th>
              <td className="text">{before === null ? 'added' : <del>{visibleText(before)}</del>}</td>
              <td className="text">{after === null ? 'removed' : <ins>{visibleText(after)}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {isCut && <p className="quiet small">There are more changes.</p>}
    </>
  );
}

interface CallsProps {
  readonly state: RecordedState;
  readonly conversation: TracePage;
}

/** The tool calls of a conversation as far as the page has it, each with its result, and what it changed where that is known. */
function Calls({ state, conversation: { messages, total } }: CallsProps): ReactNode {
  const { column, calls: known } = state;
  const results = new Map(messages.map(({ toolCallId, content }) => [toolCallId, content?.text]));
  const calls = messages.flatMap(({ number, toolCalls }) =>
    toolCalls.map((call, at) => ({
      ...call,
      number,
      changed: known?.find((one) => one.message === number && one.call === at),
    })),
  );
  if (calls.length === 0) return null;
  const unknown = whyUnknown(state);
  return (
    <details className="part" open={calls.length <= MAX_OPEN}>
      <summary>
        {pluralize(calls.length, 'tool call')} of {visibleText(column)}
      </summary>
      <ol className="state-calls">
        {calls.map(({ id, number, name, arguments: given, changed }) => (
          <li key={`${number} ${id}`} className="text">
            <code>{visibleText(name)}</code> {visibleText(shortened(given.text))}
            {' → '}
            {visibleText(shortened(results.get(id) ?? 'no result'))}
            {changed && <ChangeList changed={changed} />}
          </li>
        ))}
      </ol>
      {unknown !== undefined && <p className="quiet small">{unknown}</p>}
      {messages.length < total && <p className="quiet small">The conversation has further messages.</p>}
    </details>
  );
}

/** What is said where the changes of each call are not known; undefined where they are. */
export function whyUnknown({ calls, before }: Pick<RecordedState, 'calls' | 'before'>): string | undefined {
  if (calls !== null) return undefined;
  const rest = before === null ? '' : ' The changes above are those of all calls together.';
  return `What each call changed is not known, since the calls were not made again.${rest}`;
}

/** What one call changed. */
function ChangeList({ changed: { changes, isCut } }: { readonly changed: StateChanges }): ReactNode {
  if (changes.length === 0) return <p className="quiet small">It changed nothing.</p>;
  return (
    <ul className="small">
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          {path === '' ? 'the state' : visibleText(path)}:{' '}
          {before === null ? 'added' : <del>{visibleText(shortened(before))}</del>}{' '}
          {after === null ? 'removed' : <ins>{visibleText(shortened(after))}</ins>}
        </li>
      ))}
      {isCut && <li className="quiet">There are more changes.</li>}
    </ul>
  );
}

/** More calls are folded at first. */
const MAX_OPEN = 12;
const MAX_CHARACTERS = 500;

function shortened(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}
