import type { RequestOf } from '../../api/requests.ts';
import type { ReactNode } from 'react';
import type { Cell } from '../../api/cells.ts';
import { formatCount, pluralize } from '../format.ts';
import { visibleText } from '../visible-text.ts';
import { lineOf } from './cell-text.tsx';
import { LongText } from './long-text.tsx';

interface ValueProps {
  readonly value: Cell;
  /** How to load the remaining text of a cut value. */
  readonly rest?: Omit<RequestOf<'text'>, 'from' | 'count'> | undefined;
  readonly draw?: ((text: string) => ReactNode) | undefined;
}

/** A value of a record in full: text with its line breaks, nested data as a tree. */
export function ValueView({ value, rest, draw }: ValueProps): ReactNode {
  if (typeof value === 'string') {
    return <LongText cut={{ text: value, length: value.length }} rest={rest} draw={draw} />;
  }
  if (typeof value !== 'object') return <span className="mono">{String(value)}</span>;
  if (value?.as === 'text') return <LongText cut={value} rest={rest} draw={draw} />;
  if (value?.as === 'list' || value?.as === 'struct') return <Tree value={value} isOpen />;
  return <span className={value === null ? 'quiet' : 'mono'}>{value === null ? 'null' : lineOf(value)}</span>;
}

interface ValueListProps {
  readonly values: readonly { readonly name: string; readonly value: Cell }[];
}

/** Values with their names. */
export function ValueList({ values }: ValueListProps): ReactNode {
  return (
    <dl className="fields">
      {values.map(({ name, value }) => (
        <div key={name}>
          <dt>{visibleText(name)}</dt>
          <dd>
            <ValueView value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

type Nested = Extract<Cell, { readonly as: 'list' | 'struct' }>;

interface TreeProps {
  readonly value: Nested;
  readonly isOpen?: boolean;
}

/** Nested data, one line for each member; longer members fold. */
function Tree({ value, isOpen = false }: TreeProps): ReactNode {
  const members = value.as === 'struct' ? value.members : value.items.map((item, at) => [String(at), item] as const);
  if (members.length === 0) return <span className="quiet">{value.as === 'struct' ? '{}' : '[]'}</span>;
  const left = value.length - members.length;
  const list = (
    <dl className="tree">
      {members.map(([name, member]) => (
        <div key={name}>
          <dt>{visibleText(name)}</dt>
          <dd>{isNested(member) ? <Tree value={member} isOpen={isShort(member)} /> : <ValueView value={member} />}</dd>
        </div>
      ))}
      {left > 0 && <div className="quiet">… {formatCount(left)} more</div>}
    </dl>
  );
  if (isOpen) return list;
  return (
    <details>
      <summary className="quiet">{pluralize(value.length, value.as === 'struct' ? 'member' : 'item')}</summary>
      {list}
    </details>
  );
}

function isNested(value: Cell): value is Nested {
  return typeof value === 'object' && value !== null && (value.as === 'list' || value.as === 'struct');
}

const SHORT = 6;

function isShort(value: Nested): boolean {
  return value.length <= SHORT;
}
