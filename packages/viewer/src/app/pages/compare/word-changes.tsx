import { diffWordsWithSpace } from 'diff';
import type { ReactNode } from 'react';
import { visibleText } from '../../visible-text.ts';

/** Texts with more changes than this are shown without marks: finding them takes too long. */
const MAX_CHANGES = 2000;

interface WordChangesProps {
  readonly left: string;
  readonly right: string;
}

/** Two texts side by side, with the words marked that only one of them has. */
export function WordChanges({ left, right }: WordChangesProps): ReactNode {
  const changes = diffWordsWithSpace(left, right, { maxEditLength: MAX_CHANGES });
  const side = (isLeft: boolean): ReactNode => {
    if (changes === undefined) return visibleText(isLeft ? left : right);
    const own = changes.filter(({ added, removed }) => (isLeft ? !added : !removed));
    return own.map(({ value, added, removed }, at) => {
      const text = visibleText(value);
      if (removed) return <del key={at}>{text}</del>;
      return added ? <ins key={at}>{text}</ins> : <span key={at}>{text}</span>;
    });
  };
  return (
    <>
      <td className="text">{side(true)}</td>
      <td className="text">{side(false)}</td>
    </>
  );
}
