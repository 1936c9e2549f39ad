import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { ColumnInfo } from '../../../api/columns.ts';
import type { Condition } from '../../../api/filter.ts';
import type { ColumnStats } from '../../../api/table.ts';
import { formatFigure } from '../../format.ts';
import { BarList } from '../../parts/stats-bars.tsx';
import { visibleText } from '../../visible-text.ts';
import { isNumeric } from './column-layout.ts';
import { placeOf, type TableState } from './use-table-state.ts';

interface MenuProps {
  readonly info: ColumnInfo;
  readonly state: TableState;
  readonly stats: ColumnStats | undefined;
}

/** The menu of a column: sort, pin, hide, and conditions; all that a click on the histogram does, by keyboard. */
export function ColumnMenu({ info, state, stats }: MenuProps): ReactNode {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => panel.current?.hidePopover();
  const run = (act: () => void) => (): void => {
    close();
    act();
    // A menu that closes gives the focus back to its button, which the next Enter would press.
    panel.current?.closest<HTMLElement>('.grid')?.focus({ preventScroll: true });
  };
  return (
    <>
      <button
        type="button"
        className="plain menu-button"
        popoverTarget={id}
        aria-label={`Menu of ${info.name}`}
        onClick={(event) => place(panel.current, event.currentTarget)}
      >
        ⋯
      </button>
      <div
        id={id}
        ref={panel}
        popover="auto"
        className="menu"
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && (
          <>
            <h2>{visibleText(info.name)}</h2>
            <div className="row">
              <button
                type="button"
                onClick={run(() => state.changeFilter({ sort: [{ ...placeOf(info), descending: false }] }))}
              >
                Sort ascending
              </button>
              <button
                type="button"
                onClick={run(() => state.changeFilter({ sort: [{ ...placeOf(info), descending: true }] }))}
              >
                Sort descending
              </button>
              <button type="button" onClick={run(() => state.toggle('pin', info.name))}>
                {state.pinned.has(info.name) ? 'Unpin' : 'Pin'}
              </button>
              <button type="button" onClick={run(() => state.toggle('hide', info.name))}>
                Hide
              </button>
            </div>
            <ConditionForm info={info} onAdd={(condition) => run(() => state.addCondition(condition))()} />
            {stats && <StatsPanel stats={stats} onPick={(condition) => run(() => state.addCondition(condition))()} />}
          </>
        )}
      </div>
    </>
  );
}

/** The distribution of a column and of its members, with a button for each bar. */
function StatsPanel({
  stats,
  onPick,
}: {
  readonly stats: ColumnStats;
  readonly onPick: (condition: Condition) => void;
}): ReactNode {
  return (
    <div className="stack">
      {stats.mean !== null && <p className="quiet small">mean {formatFigure(stats.mean)}</p>}
      <BarList bars={stats.bars} others={stats.others} onPick={onPick} />
      {stats.members.map((member) => (
        <div key={member.path.join('.')}>
          <h3>{member.path.join('.')}</h3>
          <BarList bars={member.bars} others={member.others} onPick={onPick} />
        </div>
      ))}
    </div>
  );
}

const LABELS: Readonly<Record<Condition['op'], string>> = {
  equals: 'equals',
  not: 'is not',
  less: 'is less than',
  'at-most': 'is at most',
  more: 'is more than',
  'at-least': 'is at least',
  'one-of': 'is one of',
  between: 'is between',
  dates: 'is a time between',
  length: 'has a length between',
  contains: 'contains',
  matches: 'matches the expression',
  null: 'is null',
  'not-null': 'is not null',
};

function ConditionForm({
  info,
  onAdd,
}: {
  readonly info: ColumnInfo;
  readonly onAdd: (condition: Condition) => void;
}): ReactNode {
  const operators = info.operators.filter(fitsForm);
  const [operator, setOperator] = useState(defaultOperator(info, operators));
  const [high, setHigh] = useState('');
  const [text, setText] = useState('');
  if (operator === undefined) return null;
  const needsText = operator !== 'null' && operator !== 'not-null';
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    onAdd(conditionOf(info, operator, { text, high }));
  };
  return (
    <form className="row" onSubmit={onSubmit}>
      <select
        aria-label="Operator"
        value={operator}
        onChange={(event) => setOperator(operators.find((one) => one === event.target.value))}
      >
        {operators.map((one) => (
          <option key={one} value={one}>
            {LABELS[one]}
          </option>
        ))}
      </select>
      {needsText && (
        <input
          aria-label={operator === 'between' ? 'From' : 'Value'}
          size={operator === 'between' ? 6 : 14}
          value={text}
          onChange={(event) => setText(event.target.value)}
          required
        />
      )}
      {operator === 'between' && (
        <>
          and
          <input aria-label="To" size={6} value={high} onChange={(event) => setHigh(event.target.value)} required />
        </>
      )}
      <button type="submit">Filter</button>
    </form>
  );
}

/** What people look for first: a text, or low numbers. */
function defaultOperator(info: ColumnInfo, operators: readonly FormOperator[]): FormOperator | undefined {
  return operators.find((one) => one === (isNumeric(info) || info.member ? 'less' : 'contains')) ?? operators[0];
}

function conditionOf(
  info: ColumnInfo,
  operator: FormOperator,
  { text, high }: { readonly text: string; readonly high: string },
): Condition {
  const at = placeOf(info);
  if (operator === 'null' || operator === 'not-null') return { ...at, op: operator };
  if (operator === 'contains' || operator === 'matches') return { ...at, op: operator, text };
  if (operator !== 'between') return { ...at, op: operator, value: valueOf(info, text) };
  const [low, upper] = [text, high].map((bound) => valueOf(info, bound));
  return { ...at, op: operator, low: boundOf(low), high: boundOf(upper), isLast: true };
}

function boundOf(value: string | number | boolean = ''): string | number {
  return typeof value === 'boolean' ? String(value) : value;
}

type FormOperator = Exclude<Condition['op'], 'length' | 'dates' | 'one-of'>;

/** Whether an operator fits the form: ranges of lengths and dates come from histograms, lists from their values. */
function fitsForm(operator: Condition['op']): operator is FormOperator {
  return operator !== 'length' && operator !== 'dates' && operator !== 'one-of';
}

function valueOf({ type, member }: ColumnInfo, text: string): string | number | boolean {
  if (type === 'bool') return text.trim() === 'true';
  const isNumber = member !== undefined || /^(u?int|float|double|halffloat|decimal)/.test(type);
  return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A popover has no place of its own: below its button, and within the window. */
function place(panel: HTMLElement | null, button: HTMLElement): void {
  if (panel === null) return;
  const { left, bottom } = button.getBoundingClientRect();
  panel.style.left = `${Math.max(8, Math.min(left, innerWidth - 368))}px`;
  panel.style.top = `${bottom + 4}px`;
  panel.style.maxHeight = `${Math.max(200, innerHeight - bottom - 16)}px`;
}
