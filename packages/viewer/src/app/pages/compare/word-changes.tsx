import { diffWordsWithSpace } from 'diff';
import type { ReactNode } from 'react';
import { visibleText } from '../../visible-text.ts';

/** Texts with more changes than this are shown without marks: finding them takes too long. */
const MAX_CHANGES = 2000;

interface Side {
  readonly text: string;
  /** What stands before the text. */
  readonly score?: string;
}

interface WordChangesProps {
  readonly left: Side;
  readonly right: Side;
  /** The names of the sides, which a narrow screen shows. */
  readonly names: readonly [left: string, right: string];
}

/** Two texts side by side, with the words marked that only one of them has. */
export function WordChanges({ left, right, names }: WordChangesProps): ReactNode {
  const changes = diffWordsWithSpace(left.text, right.text, { maxEditLength: MAX_CHANGES });
  const textOf = ({ text }: Side, isLeft: boolean): ReactNode => {
    if (changes === undefined) return visibleText(text);
    const own = changes.filter(({ added, removed }) => (isLeft ? !added : !removed));
    return own.map(({ value, added, removed }, at) => {
      const shown = visibleText(value);
      if (removed) return <del key={at}>{shown}</del>;
      return added ? <ins key={at}>{shown}</ins> : <span key={at}>{shown}</span>;
    });
  };
  const isOther = left.score !== right.score;
  const scoreOf = ({ score }: Side, isLeft: boolean): ReactNode => {
    if (score === undefined) return null;
    const shown = visibleText(score);
    const marked = !isOther ? shown : isLeft ? <del>{shown}</del> : <ins>{shown}</ins>;
    return <strong>{marked} </strong>;
  };
  return (
    <>
      {[left, right].map((side, at) => (
        <td key={at} className="text" data-label={visibleText(names[at] ?? '')}>
          {scoreOf(side, at === 0)}
          {textOf(side, at === 0)}
        </td>
      ))}
    </>
  );
}
